// One text in the browser's storage; where storage is forbidden, as in some frames, nothing is kept.

export interface KeptText {
  read(): string | undefined;
  keep(text: string): void;
}

/** `tab`: until this tab is closed; `browser`: until it is cleared. */
export function keptText(place: 'tab' | 'browser', name: string): KeptText {
  const storage = () => (place === 'tab' ? sessionStorage : localStorage);
  return {
    read: () => {
      try {
        return storage().getItem(name) ?? undefined;
      } catch {
        return undefined;
      }
    },
    keep: (text) => {
      try {
        storage().setItem(name, text);
      } catch {
        // Forbidden or full: the next page begins without it.
      }
    },
  };
}
