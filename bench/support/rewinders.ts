// Viewers who go back to the beginning of a show that is on, as players load it: its list again and again, a piece when one is played.

const pieceEveryMs = 6_000;

export interface Rewinders {
  /** Pieces that they have loaded. */
  readonly pieces: number;
  stop(): void;
}

/** Spread over the time that a piece lasts, as people come. */
export function startRewinders(count: number, livePlaylist: string): Rewinders {
  const first = new URL('show.m3u8', livePlaylist);
  let pieces = 0;
  let isOver = false;
  const loaded = async (url: URL) => {
    const answer = await fetch(url);
    return { status: answer.status, url: answer.url, text: await answer.text() };
  };
  const goBack = async (number: number) => {
    await Bun.sleep((number * pieceEveryMs) / count);
    for (let at = 0; !isOver; ) {
      const { text, url } = await loaded(first);
      const [name = ''] = /^show-.*/m.exec(text) ?? [];
      const list = name === '' ? undefined : await loaded(new URL(name, url));
      const names = list?.text.match(/^show-.*m4s$/gm) ?? [];
      const piece = names[at];
      if (list && piece !== undefined) {
        await loaded(new URL(piece, list.url));
        pieces += 1;
        at += 1;
      }
      await Bun.sleep(pieceEveryMs);
    }
  };
  for (let number = 0; number < count; number += 1) goBack(number).catch(() => {});
  return {
    get pieces() {
      return pieces;
    },
    stop: () => {
      isOver = true;
    },
  };
}
