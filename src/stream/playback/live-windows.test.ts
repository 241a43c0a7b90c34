import { afterEach, describe, expect, jest, test } from 'bun:test';
import { clipPackets, segmentsOf } from '../../../test/support/media.ts';
import { soleLease } from '../live/push-lease.ts';
import type { Segment } from '../packaging/fragment.ts';
import type { LiveWindow } from './live-window.ts';
import { LiveWindows } from './live-windows.ts';

const [segment] = segmentsOf(clipPackets(2));
const second = 1_700_000_000;
const begunAt = (now: number) => ({ now, lease: soleLease(7) });

function fill(window: LiveWindow): void {
  // Held by the test too, as by a recording: it is for all of the windows here.
  segment?.hold();
  begin(window, segment);
}

function begin(window: LiveWindow, of: Segment | undefined): void {
  const [part] = of?.parts ?? [];
  if (of && part) window.partAdded(of, part);
}

afterEach(() => {
  jest.useRealTimers();
});

describe('a window', () => {
  test('is found by its play address from its first part on', () => {
    const windows = new LiveWindows();
    const window = windows.open('play', () => 200);
    expect(windows.find('play')).toBeUndefined();
    fill(window);
    expect(windows.find('play')).toBe(window);
    expect(windows.find('other')).toBeUndefined();
    windows.stop();
  });

  test('is waited for until its first part, or as long as whoever asks will', async () => {
    const windows = new LiveWindows();
    const waiting = [windows.begun('play', 3_600_000), windows.begun('play', 3_600_000)];
    expect(await windows.begun('play', 0)).toBeUndefined();
    const window = windows.open('play', () => 200);
    fill(window);
    expect(await Promise.all(waiting)).toEqual([window, window]);
    expect(await windows.begun('play', 0)).toBe(window);
    windows.stop();
  });

  test('is found for a minute after its stream has ended, then let go', () => {
    jest.useFakeTimers();
    const windows = new LiveWindows();
    const window = windows.open('play', () => 200);
    fill(window);
    window.ended('over');
    jest.advanceTimersByTime(59_999);
    expect(windows.find('play')).toBe(window);
    jest.advanceTimersByTime(1);
    expect(windows.find('play')).toBeUndefined();
  });

  test('lets go of what it holds when it is gone, and the one before when the next is there', () => {
    jest.useFakeTimers();
    const windows = new LiveWindows();
    const first = windows.open('play', () => 200);
    const [firstSegment] = segmentsOf(clipPackets(2));
    const [nextSegment] = segmentsOf(clipPackets(2));
    if (!firstSegment || !nextSegment) throw new Error('the clip gives no segment');
    begin(first, firstSegment);
    first.ended('over');
    const next = windows.open('play', () => 200);
    expect(windows.find('play')).toBe(first);
    expect(firstSegment.parts[0]?.bytes.length).toBeGreaterThan(0);
    begin(next, nextSegment);
    expect(windows.find('play')).toBe(next);
    expect(firstSegment.parts[0]?.bytes.length).toBe(0);
    next.ended('over');
    jest.advanceTimersByTime(59_999);
    expect(nextSegment.parts[0]?.bytes.length).toBeGreaterThan(0);
    jest.advanceTimersByTime(1);
    expect(nextSegment.parts[0]?.bytes.length).toBe(0);
  });

  test('that was let go where memory was short is not found, and the next one goes on from it', () => {
    const windows = new LiveWindows();
    const first = windows.open('play', () => 200);
    fill(first);
    first.ended('over');
    const [last, breaks] = [first.lastSequence ?? 0, first.discontinuitiesAfter];
    first.close();
    expect(windows.find('play')).toBeUndefined();
    expect(windows.nextSequence('play', begunAt(0))).toBe(last + 1);
    const next = windows.open('play', () => 200);
    expect(windows.find('play')).toBeUndefined();
    fill(next);
    expect(windows.find('play')).toBe(next);
    expect(next.playlist().text).toContain(`#EXT-X-DISCONTINUITY-SEQUENCE:${breaks}`);
    windows.stop();
  });

  test('of the push before is shown until the next one has its first part', () => {
    const windows = new LiveWindows();
    const first = windows.open('play', () => 200);
    fill(first);
    first.ended('over');
    const next = windows.open('play', () => 200);
    expect(windows.find('play')).toBe(first);
    fill(next);
    expect(windows.find('play')).toBe(next);
    windows.stop();
  });

  test('of the next push counts its discontinuities on from the one before', () => {
    const windows = new LiveWindows();
    const sequence = () =>
      Number(
        /DISCONTINUITY-SEQUENCE:(\d+)/.exec(windows.find('play')?.playlist().text ?? '')?.[1] ?? 0,
      );
    const seen: number[] = [];
    for (let push = 0; push < 3; push++) {
      const window = windows.open('play', () => 200);
      fill(window);
      seen.push(sequence());
      window.ended('over');
    }
    expect(seen).toEqual([0, 1, 2]);
    windows.stop();
  });

  test('of the next push is not let go with the one before', () => {
    jest.useFakeTimers();
    const windows = new LiveWindows();
    const first = windows.open('play', () => 200);
    fill(first);
    first.ended('over');
    const next = windows.open('play', () => 200);
    fill(next);
    jest.advanceTimersByTime(120_000);
    expect(windows.find('play')).toBe(next);
  });

  test('whose stream ends after its successor has begun leaves that alone', () => {
    jest.useFakeTimers();
    const windows = new LiveWindows();
    const first = windows.open('play', () => 200);
    const next = windows.open('play', () => 200);
    fill(next);
    first.ended('over');
    jest.advanceTimersByTime(120_000);
    expect(windows.find('play')).toBe(next);
  });
});

describe('the numbers of a push', () => {
  test('begin at its second', () => {
    expect(new LiveWindows().nextSequence('play', begunAt(second * 1000 + 999))).toBe(second);
  });

  test('never go back, however soon it follows another, or wherever the clock goes', () => {
    const windows = new LiveWindows();
    fill(windows.open('play', () => 200));
    const last = windows.find('play')?.lastSequence ?? 0;
    expect(windows.nextSequence('play', begunAt(0))).toBe(last + 1);
    expect(windows.nextSequence('play', begunAt((last + 10) * 1000))).toBe(last + 10);
    expect(windows.nextSequence('other', begunAt(5_000))).toBe(5);
    windows.stop();
  });

  test('that another node has handed over go on at once where it was followed, and else leave one out for the gap', () => {
    const windows = new LiveWindows();
    fill(windows.open('play', () => 200));
    const last = windows.find('play')?.lastSequence ?? 0;
    const recorded = { recording: undefined, pushedMs: 0, durationMs: 0, segments: 0 };
    const before = {
      ...{ startedAt: 0, mediaAt: 0, discontinuities: 0, renewedMark: last + 1 },
      ...{ node: 'before', isHandedOver: true, show: undefined, recorded },
    };
    const lease = { ...soleLease(7), epoch: 2, sequenceMark: last, before };
    expect(windows.nextSequence('play', { now: 0, lease })).toBe(last + 1);
    // The list of who has not followed it begins with the number below, which nobody may know.
    expect(windows.nextSequence('other', { now: 0, lease })).toBe(last + 2);
    windows.stop();
  });

  test('are used from the first on when it begins, though nothing has been shown', () => {
    const windows = new LiveWindows();
    expect(windows.shownAt('play').lastSequence).toBeUndefined();
    fill(windows.open('play', () => 200));
    const last = windows.find('play')?.lastSequence ?? 0;
    expect(windows.shownAt('play').lastSequence).toBe(last);
    windows.goOn('play', () => 200, { firstSequence: last + 2 });
    expect(windows.shownAt('play').lastSequence).toBe(last + 1);
    // One that is followed from then on counts by what is shown of it.
    windows.goOn('play', () => 200);
    expect(windows.shownAt('play').lastSequence).toBe(last);
    windows.stop();
  });
});
