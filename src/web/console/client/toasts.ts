// Short words about what was just done, with a way to undo it.
import { type Signal, signal } from '@preact/signals';
import type { Sentence } from './problem-text.ts';

export interface Toast {
  id: number;
  text: Sentence;
  kind: 'done' | 'failed';
  undo: (() => void) | undefined;
}

export interface Toasts {
  shown: Signal<Toast[]>;
  done(text: string, undo?: () => void): void;
  failed(text: Sentence): void;
  dismiss(id: number): void;
}

/** More would hide the page. */
const toastsMax = 3;

export function startToasts(): Toasts {
  const shown = signal<Toast[]>([]);
  let last = 0;
  const show = (toast: Omit<Toast, 'id'>) => {
    last += 1;
    // What is still there is said no longer: the newest alone can be undone without a doubt.
    const others = shown.value.filter(({ undo }) => undo === undefined || toast.undo === undefined);
    shown.value = [...others, { id: last, ...toast }].slice(-toastsMax);
  };
  return {
    shown,
    done: (text, undo) => show({ text, kind: 'done', undo }),
    failed: (text) => show({ text, kind: 'failed', undo: undefined }),
    dismiss: (id) => {
      shown.value = shown.value.filter((toast) => toast.id !== id);
    },
  };
}
