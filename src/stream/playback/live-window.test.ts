import { describe, expect, test } from 'bun:test';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { boundlessMemory, PushesMemory } from '../live/push-memory.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { LiveWindow, type LiveWindowOptions } from './live-window.ts';

const viewer = { address: '192.0.2.1' };
const init = { sequence: 100, bytes: new Uint8Array(8), tracks: [] };
const startsAt = Date.UTC(2026, 0, 1);

/** A window, and segments of our own making put into it. */
function trial(given: Partial<LiveWindowOptions> = {}) {
  const ends: string[] = [];
  const window = new LiveWindow({
    partTargetMs: () => 220,
    onEnded: () => ends.push('ended'),
    ...given,
  });
  let sequence = 100;
  let growing: GrowingSegment | undefined;
  const part = (durationMs = 200, isDiscontinuity = false, bytes?: Uint8Array<ArrayBuffer>) => {
    growing ??= new GrowingSegment({
      sequence: sequence++,
      init,
      isDiscontinuity,
      startsAt: startsAt + sequence * 2_000,
      startMs: 0,
    });
    const added = {
      bytes: bytes ?? Uint8Array.of(sequence, growing.parts.length),
      durationMs,
      isIndependent: true,
    };
    growing.add(added);
    window.partAdded(growing, added);
  };
  const endSegment = () => {
    growing?.complete();
    growing = undefined;
    window.segmentEnded();
  };
  /** A whole segment of one part. */
  const segment = (
    durationMs: number,
    isDiscontinuity = false,
    bytes?: Uint8Array<ArrayBuffer>,
  ) => {
    part(durationMs, isDiscontinuity, bytes);
    endSegment();
  };
  return { window, ends, part, endSegment, segment };
}

const tag = (text: string, name: string) => new RegExp(`${name}:(\\d+)`).exec(text)?.[1];
const listed = (text: string) => [...text.matchAll(/^(\d+)\.m4s$/gm)].map(([, n]) => Number(n));
const listedMs = (text: string) =>
  [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, s]) => sum + Number(s) * 1000, 0);

test('of a push that another node had, the window of a node that knows nothing of it begins with a gap', async () => {
  const { window } = trial();
  const going = new GrowingSegment({
    ...{ sequence: 105, epoch: 2, init, isDiscontinuity: true, startsAt, startMs: 0 },
  });
  const part = { bytes: Uint8Array.of(1), durationMs: 200, isIndependent: true };
  going.add(part);
  window.partAdded(going, part);
  const { text } = window.playlist();
  expect(tag(text, '#EXT-X-MEDIA-SEQUENCE')).toBe('104');
  expect(text).toMatch(/#EXT-X-GAP\n[\s\S]*#EXT-X-DISCONTINUITY\n[\s\S]*#EXT-X-PART:/);
  // Who knows nothing of parts waits for a segment that can be played.
  const whole = window.awaitSegment(60_000, viewer);
  await nextTurn();
  expect(Bun.peek.status(whole)).toBe('pending');
  going.complete();
  window.segmentEnded();
  await whole;
});

describe('a window whose push holds too much', () => {
  const kilobyte = () => new Uint8Array(1_000);
  const held = (window: LiveWindow) =>
    Array.from({ length: 40 }, (_, n) => 95 + n).filter((n) => window.segment(n));

  test('lets go of what has left the playlist first', () => {
    const memory = new PushesMemory({ ...boundlessMemory, pushBytes: 7_000 }).open(1);
    const { window, segment } = trial({ memory });
    for (let n = 0; n < 20; n++) segment(2_000, false, kilobyte());
    expect(memory.bytes).toBe(8_000);
    expect(memory.overBound()).toBeUndefined();
    expect(memory.bytes).toBe(7_000);
    expect(held(window)).toEqual([113, 114, 115, 116, 117, 118, 119]);
    expect(listed(window.playlist().text)).toEqual([114, 115, 116, 117, 118, 119]);
  });

  test('then of its oldest, but of no more than players can do without', () => {
    const memory = new PushesMemory({ ...boundlessMemory, pushBytes: 1_500 }).open(1);
    const { window, segment, part } = trial({ memory });
    for (let n = 0; n < 20; n++) segment(2_000, n === 16, kilobyte());
    part(200, false, kilobyte());
    expect(memory.overBound()).toBe('memory');
    expect(held(window)).toEqual([117, 118, 119, 120]);
    const { text } = window.playlist();
    expect(listed(text)).toEqual([117, 118, 119]);
    expect(tag(text, 'MEDIA-SEQUENCE')).toBe('117');
    expect(tag(text, 'DISCONTINUITY-SEQUENCE')).toBe('1');
  });

  test('goes on by the memory of whoever goes on with it, whatever becomes of the one before', () => {
    const all = new PushesMemory(boundlessMemory);
    const before = all.open(1);
    const { window, segment } = trial({ memory: before });
    for (let n = 0; n < 3; n++) segment(2_000, false, kilobyte());
    // Its recording, say, which is still written.
    before.holder().set(1_000);
    before.end();
    const memory = all.open(1);
    window.goOn({ partTargetMs: () => 220, memory });
    expect([before.bytes, memory.bytes]).toEqual([1_000, 3_000]);
    all.letGoOfAllEnded();
    expect(listed(window.playlist().text)).toEqual([100, 101, 102]);
    expect(memory.bytes).toBe(3_000);
  });

  test('and is filled again counts on from what it let go of, and takes none of it again', () => {
    const { window, segment } = trial();
    for (let n = 0; n < 3; n++) segment(2_000, n > 0);
    window.close();
    expect([window.shownTo, window.discontinuitiesAfter]).toEqual([102, 3]);
    for (let n = 0; n < 3; n++) segment(2_000, n === 0);
    const { text } = window.playlist();
    expect(listed(text)).toEqual([103, 104, 105]);
    expect(tag(text, 'DISCONTINUITY-SEQUENCE')).toBe('2');
    expect([window.shownTo, window.discontinuitiesAfter]).toEqual([105, 4]);
    for (const sequence of [102, 105]) {
      const late = new GrowingSegment({
        ...{ sequence, epoch: 2, init, isDiscontinuity: false, startsAt, startMs: 0 },
      });
      const part = { bytes: Uint8Array.of(1), durationMs: 200, isIndependent: true };
      late.add(part);
      window.partAdded(late, part);
    }
    expect(window.playlist().text).toBe(text);
  });

  test('counts nothing once it is closed', () => {
    const memory = new PushesMemory(boundlessMemory).open(1);
    const { window, segment } = trial({ memory });
    for (let n = 0; n < 20; n++) segment(2_000, false, kilobyte());
    window.close();
    expect(memory.bytes).toBe(0);
  });
});

describe('the window', () => {
  test('lets go of a segment that nobody can ask for any more, and of no other', () => {
    const { window, segment } = trial();
    const sent = Array.from({ length: 12 }, (_, n) => new Uint8Array(100).fill(n));
    for (const bytes of sent) segment(2_000, false, bytes);
    const first = listed(window.playlist().text)[0] ?? 0;
    // Six are listed, two more can be fetched.
    expect(first - 100).toBe(6);
    const isThere = sent.map(({ length }) => length > 0);
    expect(isThere).toEqual(sent.map((_, n) => n >= 4));
    expect(window.segment(104)?.parts[0]?.bytes).toEqual(new Uint8Array(100).fill(4));
    expect(window.segment(103)?.parts[0]).toBeUndefined();
  });

  test.each([500, 1_000, 2_000, 3_999, 4_000])(
    'of segments of %d ms never falls below three target durations, and stays near it',
    (durationMs) => {
      const { window, segment } = trial();
      let was = 0;
      for (let n = 0; n < 40; n++) {
        segment(durationMs);
        const ms = Math.round(listedMs(window.playlist().text));
        expect(ms).toBeGreaterThanOrEqual(Math.min(was, 12_000));
        expect(ms).toBeLessThan(12_000 + durationMs);
        was = ms;
      }
      expect(was).toBeGreaterThanOrEqual(12_000);
    },
  );

  test('lists no more segments than players of short ones need', () => {
    const { window, segment } = trial();
    for (let n = 0; n < 500; n++) segment(5);
    expect(listed(window.playlist().text)).toHaveLength(48);
    expect(listed(window.playlist().text).at(-1)).toBe(599);
    expect(window.segment(549)).toBeUndefined();
    expect(window.segment(550)).toBeDefined();
  });

  test('lets go of what has left it, but for two segments', () => {
    const { window, segment } = trial();
    for (let n = 0; n < 20; n++) segment(2_000);
    expect(listed(window.playlist().text)).toEqual([114, 115, 116, 117, 118, 119]);
    expect(tag(window.playlist().text, 'MEDIA-SEQUENCE')).toBe('114');
    const held = Array.from({ length: 40 }, (_, n) => 95 + n).filter((n) => window.segment(n));
    expect(held).toEqual([112, 113, 114, 115, 116, 117, 118, 119]);
    expect(window.segment(113)?.parts[0]?.bytes).toEqual(Uint8Array.of(114, 0));
    expect(window.segment(113)?.parts[1]).toBeUndefined();
    expect(window.segment(111)?.parts[0]).toBeUndefined();
  });

  test('keeps an init as long as a segment that needs it', () => {
    const { window, segment } = trial();
    segment(2_000);
    expect(window.init(100)).toBe(init.bytes);
    expect(window.init(101)).toBeUndefined();
  });

  test('counts the discontinuities that have left, and shows those that have not', () => {
    const { window, segment } = trial();
    segment(4_000);
    segment(4_000, true);
    const seen: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) {
      segment(4_000, n === 2);
      const { text } = window.playlist();
      seen.push(
        `${tag(text, 'DISCONTINUITY-SEQUENCE') ?? 0}+${text.split('#EXT-X-DISCONTINUITY\n').length - 1}`,
      );
    }
    // What has left and what is listed are always all that came.
    expect(seen).toEqual(['0+1', '0+1', '1+1', '1+1']);
  });

  test('makes its playlist once a part, and compresses it when asked', () => {
    const { window, part } = trial();
    part();
    const first = window.playlist();
    expect(window.playlist()).toBe(first);
    expect(Buffer.from(Bun.gunzipSync(first.gzip)).toString()).toBe(first.text);
    expect(first.gzip).toBe(first.gzip);
    part();
    expect(window.playlist()).not.toBe(first);
    expect(window.playlist().text).toContain('URI="100.1.m4s"');
  });

  test('says when it has ended', () => {
    const { window, ends, segment } = trial();
    expect(window.lastSequence).toBeUndefined();
    segment(2_000);
    expect(window.lastSequence).toBe(100);
    window.ended('over');
    expect(window.playlist().text).toEndWith('#EXT-X-ENDLIST\n');
    expect(ends).toEqual(['ended']);
  });
});

describe('who waits', () => {
  /** Whether a wait is over by now. */
  async function isOver(waiting: Promise<void> | 'refused' | undefined): Promise<boolean> {
    return (await Promise.race([waiting, Promise.resolve('waits')])) !== 'waits';
  }

  test('for what is there already does not wait', () => {
    const { window, part, endSegment } = trial();
    part();
    part();
    expect(window.awaitPart({ sequence: 100, part: 1 }, 1_000, viewer)).toBeUndefined();
    expect(window.awaitPart({ sequence: 99, part: undefined }, 1_000, viewer)).toBeUndefined();
    expect(window.awaitPart({ sequence: 3, part: 900 }, 1_000, viewer)).toBeUndefined();
    endSegment();
    expect(window.awaitPart({ sequence: 100, part: undefined }, 1_000, viewer)).toBeUndefined();
  });

  test('is told to a crowd over several turns, in the order in which they came', async () => {
    const { window, part } = trial();
    part();
    const told: number[] = [];
    const crowd = Array.from({ length: 600 }, async (_, n) => {
      await window.awaitPart({ sequence: 100, part: 1 }, 60_000, viewer);
      told.push(n);
    });
    part();
    const turns: number[] = [];
    while (told.length < crowd.length) {
      await nextTurn();
      turns.push(told.length);
    }
    expect(turns.length).toBeGreaterThan(1);
    expect(turns.every((count, n) => count - (turns[n - 1] ?? 0) <= 500)).toBe(true);
    expect(told).toEqual(crowd.map((_, n) => n));
  });

  test('for a part is woken by it and not before', async () => {
    const { window, part } = trial();
    part();
    const next = window.awaitPart({ sequence: 100, part: 1 }, 60_000, viewer);
    const later = window.awaitPart({ sequence: 100, part: 2 }, 60_000, viewer);
    expect(await isOver(next)).toBe(false);
    part();
    expect([await isOver(next), await isOver(later)]).toEqual([true, false]);
    part();
    expect(await isOver(later)).toBe(true);
  });

  test('for what comes on another node is answered when this one goes', async () => {
    const { window, part } = trial();
    part();
    const next = window.awaitPart({ sequence: 100, part: 1 }, 60_000, viewer);
    window.ended('taken');
    await nextTurn();
    expect(Bun.peek.status(next as Promise<void>)).toBe('pending');
    window.answerAll();
    await next;
    expect(window.playlist().text).not.toContain('#EXT-X-ENDLIST');
  });

  test('for a segment is woken by its end, not by its parts', async () => {
    const { window, part, endSegment } = trial();
    part();
    const whole = window.awaitPart({ sequence: 100, part: undefined }, 60_000, viewer);
    part();
    expect(await isOver(whole)).toBe(false);
    endSegment();
    expect(await isOver(whole)).toBe(true);
  });

  test('for a part beyond the last of a segment gets the first of the next (RFC 8216bis 6.2.5.2)', async () => {
    const { window, part, endSegment } = trial();
    part();
    const beyond = window.awaitPart({ sequence: 100, part: 1 }, 60_000, viewer);
    endSegment();
    const stillBeyond = window.awaitPart({ sequence: 100, part: 5 }, 60_000, viewer);
    expect([await isOver(beyond), await isOver(stillBeyond)]).toEqual([false, false]);
    part();
    expect([await isOver(beyond), await isOver(stillBeyond)]).toEqual([true, true]);
  });

  test('two segments ahead may, further ahead may not', async () => {
    const { window, part, segment } = trial();
    expect(window.awaitPart({ sequence: 100, part: 0 }, 1_000, viewer)).toBe('refused');
    part();
    const ahead = window.awaitPart({ sequence: 102, part: 0 }, 60_000, viewer);
    expect(window.awaitPart({ sequence: 103, part: 0 }, 1_000, viewer)).toBe('refused');
    expect(window.awaitPart({ sequence: 103, part: undefined }, 1_000, viewer)).toBe('refused');
    segment(200);
    segment(2_000);
    expect(await isOver(ahead)).toBe(false);
    part();
    expect(await isOver(ahead)).toBe(true);
  });

  test('in vain is let go in time', async () => {
    const { window, part } = trial();
    part();
    const startedAt = performance.now();
    await window.awaitPart({ sequence: 100, part: 1 }, 30, viewer);
    expect(performance.now() - startedAt).toBeGreaterThan(25);
    expect(window.holds({ sequence: 100, part: 1 })).toBe(false);
  });

  test('is woken by the end of the stream, and later ones do not wait', async () => {
    const { window, part } = trial();
    part();
    const waiting = window.awaitPart({ sequence: 101, part: 3 }, 60_000, viewer);
    window.ended('over');
    expect(await isOver(waiting)).toBe(true);
    expect(window.awaitPart({ sequence: 101, part: 3 }, 60_000, viewer)).toBeUndefined();
  });

  test('beyond the 20,000th is not made to wait, and all are woken together', async () => {
    const { window, part } = trial();
    part();
    const asked = { sequence: 100, part: 1 };
    const waiting = Array.from({ length: 20_000 }, (_, n) =>
      window.awaitPart(asked, 60_000, { address: `network ${n}` }),
    );
    expect(waiting).not.toContain(undefined);
    expect(window.awaitPart(asked, 60_000, viewer)).toBeUndefined();
    part();
    await Promise.all(waiting);
    // Nothing of them is left: others may wait again.
    expect(window.awaitPart({ sequence: 100, part: 2 }, 1, viewer)).toBeInstanceOf(Promise);
  });

  test('of a crowd behind one address leaves places to others, in every round', async () => {
    const { window, part } = trial();
    part();
    for (const round of [1, 2]) {
      const asked = { sequence: 100, part: round };
      const crowd = Array.from({ length: 20_000 }, () => window.awaitPart(asked, 60_000, viewer));
      const waiting = crowd.filter((one) => one !== undefined);
      // The first thousand, and half of all other places.
      expect(waiting).toHaveLength(1_000 + 9_500);
      const other = window.awaitPart(asked, 60_000, { address: '2001:db8::1' });
      expect(other).toBeInstanceOf(Promise);
      part();
      await Promise.all([...waiting, other]);
    }
  });

  test('of an allowed network may have all places', () => {
    const { window, part } = trial({ isAllowed: (network) => network === viewer.address });
    part();
    const asked = { sequence: 100, part: 1 };
    const crowd = Array.from({ length: 20_000 }, () => window.awaitPart(asked, 60_000, viewer));
    expect(crowd).not.toContain(undefined);
    window.ended('over');
  });

  test('is asked for their address only in a crowd', () => {
    const { window, part } = trial();
    part();
    const looks = { count: 0 };
    const shy = {
      get address() {
        looks.count += 1;
        return '192.0.2.2';
      },
    };
    const ask = () => window.awaitPart({ sequence: 100, part: 1 }, 60_000, shy);
    for (let n = 0; n < 1_000; n += 1) ask();
    expect(looks.count).toBe(0);
    ask();
    expect(looks.count).toBe(1);
    window.ended('over');
  });
});
