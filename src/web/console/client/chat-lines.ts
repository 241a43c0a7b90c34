// The lines of a chat as they come together from several answers: each once, in order, and not for ever.
import type { Chat, ChatLine } from './service-answers.ts';

export interface ShownChat {
  open: boolean;
  /** Seconds between two lines of one viewer; 0: as they like. */
  slowSeconds: number;
  pinned: ChatLine | null;
  /** The oldest first. */
  lines: ChatLine[];
  /** Where the next answer goes on. */
  nextAfter: number;
}

/** A host looks at what is said now. */
const linesMax = 500;

/** What is shown after an answer; without `before` the answer is all there is. */
export function chatAfter(before: ShownChat | undefined, answer: Chat): ShownChat {
  const { open, slow_seconds: slowSeconds, pinned, messages, next_after } = answer;
  const lines = joined(before?.lines ?? [], messages);
  const nextAfter = Math.max(next_after, before?.nextAfter ?? 0);
  return { open, slowSeconds, pinned, lines, nextAfter };
}

/** One that was said here; what came between is read with the next answer. */
export function withLine(before: ShownChat, line: ChatLine): ShownChat {
  return { ...before, lines: joined(before.lines, [line]) };
}

export function withoutLines(before: ShownChat, ids: readonly number[]): ShownChat {
  const pinned = before.pinned && ids.includes(before.pinned.id) ? null : before.pinned;
  const lines = before.lines
    .filter(({ id }) => !ids.includes(id))
    // What is removed is quoted no more.
    .map((line) => (ids.includes(line.reply_to ?? 0) ? { ...line, quoted: null } : line));
  return { ...before, pinned, lines };
}

function joined(known: readonly ChatLine[], more: readonly ChatLine[]): ChatLine[] {
  const byId = new Map([...known, ...more].map((line) => [line.id, line]));
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-linesMax);
}
