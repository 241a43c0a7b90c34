// Asks whoever leaves a view with changes that are not saved.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConsole } from './console-parts.ts';

/** Somebody is about to leave, and says what becomes of it. */
export interface Leaving {
  save(): void;
  leave(): void;
  stay(): void;
}

/** Undefined while nobody leaves. `save` answers whether it is saved. */
export function useLeaving(hasChanges: boolean, save: () => Promise<boolean>): Leaving | undefined {
  const { router } = useConsole();
  const [answer, ask] = useState<(mayLeave: boolean) => void>();
  const saveNow = useRef(save);
  saveNow.current = save;
  useEffect(() => {
    if (!hasChanges) return;
    return router.guarded(
      () =>
        new Promise((resolve) => {
          ask(() => (mayLeave: boolean) => {
            ask(undefined);
            resolve(mayLeave);
          });
        }),
    );
  }, [hasChanges, router]);
  if (!answer) return undefined;
  return {
    save: async () => answer(await saveNow.current()),
    leave: () => answer(true),
    stay: () => answer(false),
  };
}
