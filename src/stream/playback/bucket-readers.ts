// Answers that are read from the bucket while they are sent: so many at once, a network its share, and none that nobody takes.
import { busy } from '../../base/api/errors.ts';
import { networkOf } from '../../base/lib/network.ts';
import { Share } from '../../base/turns/share.ts';
import type { RecordedPlaylistsOptions } from './recorded-playlists.ts';

export interface BucketReadersOptions
  extends Pick<RecordedPlaylistsOptions, 'isAllowed' | 'refusals'> {
  readersMax: number;
  /** How long it is waited for the next piece to be taken. */
  patienceMs: number;
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

export class BucketReaders {
  private readonly options: BucketReadersOptions;
  private readonly share: Share;

  constructor(options: BucketReadersOptions) {
    this.options = options;
    const { readersMax: placesMax, isAllowed } = options;
    this.share = new Share({ placesMax, ...(isAllowed && { isAllowed }) });
  }

  get count(): number {
    return this.share.taken;
  }

  /** The same bytes, with a place until the last is taken, the reader has left or it takes too long. */
  given(stream: Bytes, address: string): Bytes {
    const network = networkOf(address);
    const refusal = this.share.refusal(network);
    if (refusal) {
      stream.cancel().catch(() => {});
      this.options.refusals.note(refusal === 'full' ? 'readers' : 'readers_network', network);
      throw busy('Too many recordings are being read');
    }
    this.share.take(network);
    const reader = stream.getReader();
    let patience: Timer | undefined;
    let isOver = false;
    const end = () => {
      clearTimeout(patience);
      if (!isOver) this.share.leave(network);
      isOver = true;
    };
    const leave = () => {
      end();
      reader.cancel().catch(() => {});
    };
    return new ReadableStream(
      {
        start: (controller) => {
          const wait = () => {
            leave();
            controller.error();
          };
          patience = setTimeout(wait, this.options.patienceMs);
        },
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            patience?.refresh();
            if (isOver) return;
            if (!done) return controller.enqueue(value);
            end();
            controller.close();
          } catch {
            end();
            // Without a reason: Bun would print it beside the log.
            controller.error();
          }
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
  }
}
