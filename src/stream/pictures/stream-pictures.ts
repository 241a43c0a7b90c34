// A small picture of a stream as it is now, made when somebody asks, a few a second, and remembered for some seconds.
import { ApiError, busy } from '../../base/api/errors.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { Share } from '../../base/turns/share.ts';
import { pictureLimits } from './picture-limits.ts';
import type { KeyFrame, PictureAnswer } from './picture-process.ts';

export interface StreamPicturesOptions {
  /** Of a channel's push, with how to take a copy of its newest key frame; undefined where there is none. */
  keyFrameOf(channel_id: number): { account_id: number; take(): KeyFrame | undefined } | undefined;
  make(keyFrame: KeyFrame): Promise<PictureAnswer>;
  /** Whether there is a decoder, as far as is known before it was asked. */
  hasDecoder: boolean;
  /** Time that only passes. */
  monotonicMs: () => number;
}

export type Jpeg = Uint8Array<ArrayBuffer>;

/** Of a channel; without a picture where none could be made. */
interface Remembered {
  jpeg: Jpeg | undefined;
  at: number;
}

const { freshMs, failedMs, oldMs, everyMs, waitingMax, keyFrameBytes, rememberedBytes } =
  pictureLimits;

export class StreamPictures {
  private readonly options: StreamPicturesOptions;

  private hasDecoder: boolean;
  private readonly remembered = new RecentMap<number, Remembered>({
    max: rememberedBytes,
    weigh: ({ jpeg }) => 256 + (jpeg?.length ?? 0),
  });
  /** By channel: whoever asks meanwhile gets the same. */
  private readonly underWay = new Map<number, Promise<Jpeg | undefined>>();
  private readonly waiting = new Share({ placesMax: waitingMax });
  private readonly turns = new FairPlaces({ placesMax: 1 });

  constructor(options: StreamPicturesOptions) {
    this.options = options;
    this.hasDecoder = options.hasDecoder;
  }

  /** Whether this node has the stream. */
  isHere(channel_id: number): boolean {
    return this.options.keyFrameOf(channel_id) !== undefined;
  }

  /** Whether one can be asked for. */
  has(channel_id: number): boolean {
    return this.hasDecoder && this.isHere(channel_id);
  }

  /** Ten seconds old at most, where key frames come often enough. Throws 404 off air, and 503 where there is none now. */
  async of(channel_id: number): Promise<Jpeg> {
    const { keyFrameOf, monotonicMs } = this.options;
    const push = keyFrameOf(channel_id);
    if (!push) throw new ApiError('notOnAir');
    const known = this.remembered.get(channel_id);
    const ageMs = known ? monotonicMs() - known.at : Number.POSITIVE_INFINITY;
    if (known?.jpeg && ageMs <= freshMs) return known.jpeg;
    if (known && !known.jpeg && ageMs <= failedMs) throw undecodable();
    if (!this.hasDecoder) throw noDecoder();
    const making = this.underWay.get(channel_id) ?? this.begin(channel_id, push.account_id);
    if (!making) {
      if (known?.jpeg && ageMs <= oldMs) return known.jpeg;
      throw busy('More pictures are asked for than are made at once');
    }
    const jpeg = await making;
    if (jpeg) return jpeg;
    throw this.hasDecoder ? undecodable() : noDecoder();
  }

  /** Undefined where too many wait. */
  private begin(channel_id: number, account_id: number): Promise<Jpeg | undefined> | undefined {
    const whose = `account ${account_id}`;
    if (this.waiting.refusal(whose)) return undefined;
    this.waiting.take(whose);
    const { promise, resolve, reject } = Promise.withResolvers<Jpeg | undefined>();
    this.underWay.set(channel_id, promise);
    void this.turns.run({ whose }, async () => {
      const next = Bun.sleep(everyMs);
      await this.make(channel_id).then(resolve, reject);
      this.underWay.delete(channel_id);
      this.waiting.leave(whose);
      // Who is next waits, whoever got theirs does not.
      await next;
    });
    return promise;
  }

  /** Of the key frame that is the newest when its turn has come. */
  private async make(channel_id: number): Promise<Jpeg | undefined> {
    const { keyFrameOf, make, monotonicMs } = this.options;
    const keyFrame = keyFrameOf(channel_id)?.take();
    if (!keyFrame || keyFrame.bytes.length > keyFrameBytes) return undefined;
    const answer = await make(keyFrame);
    if (!answer.made && answer.why === 'no_decoder') this.hasDecoder = false;
    this.remembered.set(channel_id, { jpeg: answer.made, at: monotonicMs() });
    return answer.made;
  }
}

function undecodable(): ApiError {
  return busy('No picture can be made of what the encoder sends now');
}

function noDecoder(): ApiError {
  return new ApiError('unavailable', {
    message: 'The decoder is not installed (node-av)',
    isCounted: true,
  });
}
