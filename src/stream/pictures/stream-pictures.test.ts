// When a picture is made, given again, refused, and whose turn it is.
import { describe, expect, test } from 'bun:test';
import type { ApiError } from '../../base/api/errors.ts';
import { pictureLimits } from './picture-limits.ts';
import type { KeyFrame, PictureAnswer } from './picture-process.ts';
import { StreamPictures } from './stream-pictures.ts';

const { freshMs, oldMs, waitingMax } = pictureLimits;

/** Channels 1 to 99 are of account 1, the next hundred of account 2; a key frame's bytes are its channel's number. */
function studio({ hasDecoder = true, offAir = new Set<number>() } = {}) {
  const state = { at: 0, made: [] as number[] };
  const orders: { channel: number; answer(answer: PictureAnswer): void }[] = [];
  const arrived: (() => void)[] = [];
  const pictures = new StreamPictures({
    keyFrameOf: (channel) =>
      offAir.has(channel)
        ? undefined
        : {
            account_id: channel < 100 ? 1 : 2,
            take: () => ({ record: new Uint8Array(), bytes: Uint8Array.of(channel) }),
          },
    make: ({ bytes: [channel = 0] }: KeyFrame) =>
      new Promise((resolve) => {
        state.made.push(channel);
        orders.push({ channel, answer: resolve });
        arrived.shift()?.();
      }),
    hasDecoder,
    monotonicMs: () => state.at,
  });
  /** The next order, when it has come. */
  const order = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (orders.length === 0) {
      arrived.push(resolve);
      await promise;
    }
    return orders.shift() as (typeof orders)[number];
  };
  const jpegOf = (channel: number) => Uint8Array.of(255, channel);
  const answerNext = async () => {
    const { channel, answer } = await order();
    answer({ made: jpegOf(channel) });
    return channel;
  };
  return { state, pictures, order, answerNext, jpegOf, offAir };
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: ApiError) => ({ kind: error.kind, retry: 'Retry-After' in error.headers }),
  );

describe('a picture', () => {
  test('is made once for all who ask meanwhile, and given again for some seconds', async () => {
    const { state, pictures, answerNext, jpegOf } = studio();
    const asked = [pictures.of(7), pictures.of(7)];
    await answerNext();
    expect(await Promise.all(asked)).toEqual([jpegOf(7), jpegOf(7)]);
    state.at += freshMs;
    expect(await pictures.of(7)).toEqual(jpegOf(7));
    expect(state.made).toEqual([7]);
    state.at += 1;
    const again = pictures.of(7);
    await answerNext();
    await again;
    expect(state.made).toEqual([7, 7]);
  });

  test('is not there off air', async () => {
    const { state, pictures, answerNext, offAir } = studio({ offAir: new Set([5]) });
    expect(pictures.has(5)).toBeFalse();
    expect(await refusal(pictures.of(5))).toEqual({ kind: 'notOnAir', retry: false });
    const asked = pictures.of(6);
    await answerNext();
    await asked;
    offAir.add(6);
    expect(await refusal(pictures.of(6))).toEqual({ kind: 'notOnAir', retry: false });
    expect(state.made).toEqual([6]);
  });

  test('that cannot be decoded is not tried again at once', async () => {
    const { state, pictures, order } = studio();
    const asked = refusal(pictures.of(3));
    (await order()).answer({ made: undefined, why: 'failed', problem: 'broken' });
    expect(await asked).toEqual({ kind: 'unavailable', retry: true });
    expect(await refusal(pictures.of(3))).toEqual({ kind: 'unavailable', retry: true });
    expect(state.made).toEqual([3]);
  });

  test('is none without a decoder, whether that is known before or shows', async () => {
    const without = studio({ hasDecoder: false });
    expect(without.pictures.has(1)).toBeFalse();
    expect(await refusal(without.pictures.of(1))).toEqual({ kind: 'unavailable', retry: false });
    expect(without.state.made).toEqual([]);
    const { pictures, order, state } = studio();
    const asked = refusal(pictures.of(1));
    (await order()).answer({ made: undefined, why: 'no_decoder', problem: 'not for this machine' });
    expect(await asked).toEqual({ kind: 'unavailable', retry: false });
    expect(pictures.has(2)).toBeFalse();
    expect(await refusal(pictures.of(2))).toEqual({ kind: 'unavailable', retry: false });
    expect(state.made).toEqual([1]);
  });
});

describe('of many that are asked for at once', () => {
  test('one is made at a time, accounts in turns, and who is beyond the bound is told to come later', async () => {
    const { state, pictures, answerNext } = studio();
    const own = Array.from({ length: waitingMax / 2 + 3 }, (_, at) => refusal(pictures.of(1 + at)));
    // One account has half of the places.
    expect(await Promise.all(own.slice(waitingMax / 2))).toEqual(
      Array(3).fill({ kind: 'unavailable', retry: true }),
    );
    const others = refusal(pictures.of(100));
    expect(state.made).toEqual([1]);
    expect(await answerNext()).toBe(1);
    const second = await answerNext();
    const third = await answerNext();
    expect([second, third].toSorted((a, b) => a - b)).toEqual([2, 100]);
    expect(await others).toBeUndefined();
  });

  test('an older one will do where there is no turn for a new one', async () => {
    const { state, pictures, answerNext, jpegOf } = studio();
    const asked = pictures.of(50);
    await answerNext();
    await asked;
    state.at += freshMs + 1;
    for (let channel = 1; channel <= waitingMax / 2; channel++) void refusal(pictures.of(channel));
    expect(await pictures.of(50)).toEqual(jpegOf(50));
    state.at += oldMs;
    expect(await refusal(pictures.of(50))).toEqual({ kind: 'unavailable', retry: true });
  });
});
