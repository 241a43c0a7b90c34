// What a session adds up to: reports honest and forged, silences, closes, resumes, restarts.
import { describe, expect, test } from 'bun:test';
import { OnAir } from './on-air.ts';
import { WatchSession } from './watch-session.ts';

const start = 1_000_000;
const onAir = new OnAir(true, 0);
const at = (s: number) => start + s * 1_000;

function entered(): WatchSession {
  return new WatchSession(
    { online_ms: 0, watch_ms: 0, credited_until: start, last_seen_at: start },
    start,
  );
}

/** Online and watched, in seconds. */
function seconds({ sums }: WatchSession): [onlineS: number, watchedS: number] {
  return [sums.online_ms / 1_000, sums.watch_ms / 1_000];
}

describe('a report', () => {
  test('credits the last of the time since the one before', () => {
    const session = entered();
    expect(session.report(at(10), 4_000, onAir)).toEqual([{ from: at(6), to: at(10) }]);
    expect(session.sums).toEqual({
      online_ms: 10_000,
      watch_ms: 4_000,
      credited_until: at(10),
      last_seen_at: at(10),
    });
  });

  test('of a page that plays without a break credits all of it', () => {
    const session = entered();
    for (let s = 10; s <= 100; s += 10) session.report(at(s), 10_000, onAir);
    expect(seconds(session)).toEqual([100, 100]);
  });

  test.each([
    [10_000, 10],
    [1_000_000, 10],
    [Number.POSITIVE_INFINITY, 10],
    [1_999.9, 1.999],
    [0.9, 0],
    [0, 0],
    [-5_000, 0],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.NaN, 0],
  ])('of %d ms after 10 s earns %d s', (played_ms, earnedS) => {
    const session = entered();
    session.report(at(10), played_ms, onAir);
    expect(seconds(session)).toEqual([10, earnedS]);
  });

  test('earns 15 s at most, however late it is', () => {
    const session = entered();
    expect(session.report(at(25), 25_000, onAir)).toEqual([{ from: at(10), to: at(25) }]);
  });

  test('that comes twice earns once', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    expect(session.report(at(10), 10_000, onAir)).toEqual([]);
    expect(seconds(session)).toEqual([10, 10]);
  });

  test('that is sent again later earns no more than the time since', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    expect(session.report(at(11), 10_000, onAir)).toEqual([{ from: at(10), to: at(11) }]);
  });

  test('counts from the report before, not from another message', () => {
    const session = entered();
    session.heard(at(7));
    expect(session.report(at(10), 10_000, onAir)).toEqual([{ from: at(0), to: at(10) }]);
  });

  test('counts only what was on air', () => {
    const channel = new OnAir(true, start);
    channel.live(false, at(3));
    const session = entered();
    session.report(at(10), 10_000, channel);
    expect(session.report(at(20), 10_000, channel)).toEqual([{ from: at(10), to: at(13) }]);
    expect(session.report(at(30), 10_000, channel)).toEqual([]);
    expect(seconds(session)).toEqual([30, 13]);
    expect(session.sums.credited_until).toBe(at(13));
  });

  test('over two pushes has two parts', () => {
    const channel = new OnAir(true, start - 20_000);
    channel.live(false, at(-5));
    channel.live(true, at(8));
    const session = entered();
    expect(session.report(at(12), 12_000, channel)).toEqual([
      { from: at(0), to: at(5) },
      { from: at(8), to: at(12) },
    ]);
    expect(seconds(session)).toEqual([12, 9]);
  });

  test('that played before the channel was on air does not reach forward', () => {
    const channel = new OnAir(false, start);
    const session = entered();
    session.report(at(10), 10_000, channel);
    channel.live(true, at(10));
    expect(session.report(at(12), 10_000, channel)).toEqual([{ from: at(10), to: at(12) }]);
  });
});

describe('online', () => {
  test('grows with any message', () => {
    const session = entered();
    session.heard(at(4));
    session.heard(at(34));
    expect(seconds(session)).toEqual([34, 0]);
    expect(session.sums.last_seen_at).toBe(at(34));
  });

  test('lasts until a close that is seen within 15 s of the last message', () => {
    const session = entered();
    session.heard(at(10));
    session.closed(at(25), 'closed');
    expect(seconds(session)).toEqual([25, 0]);
    expect(session.sums.last_seen_at).toBe(at(25));
  });

  test('lasts until the last message where the close is seen later', () => {
    const session = entered();
    session.heard(at(10));
    session.closed(at(25.001), 'closed');
    expect(seconds(session)).toEqual([10, 0]);
    expect(session.sums.last_seen_at).toBe(at(10));
  });

  test('lasts until the last message of a session that fell silent', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    session.closed(at(12), 'silent');
    expect(seconds(session)).toEqual([10, 10]);
  });

  test('leaves a silence out that nobody noticed, and so does watching', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    expect(session.report(at(40.001), 30_000, onAir)).toEqual([]);
    session.report(at(45.001), 5_000, onAir);
    expect(seconds(session)).toEqual([15, 15]);
  });

  test('ends with the close: what comes after adds nothing', () => {
    const session = entered();
    session.closed(at(5), 'closed');
    session.heard(at(6));
    session.closed(at(7), 'closed');
    expect(session.report(at(8), 8_000, onAir)).toEqual([]);
    expect(seconds(session)).toEqual([5, 0]);
  });
});

describe('a resume', () => {
  test('leaves the gap out', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    session.closed(at(12), 'closed');
    session.resumed(at(30));
    expect(session.sums.last_seen_at).toBe(at(30));
    expect(session.report(at(35), 15_000, onAir)).toEqual([{ from: at(30), to: at(35) }]);
    expect(seconds(session)).toEqual([17, 15]);
  });

  test('of a session that is still open closes it first', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    session.resumed(at(12));
    session.report(at(14), 15_000, onAir);
    expect(seconds(session)).toEqual([14, 12]);
  });

  test('of one that is open and long unheard leaves the time since its last message out', () => {
    const session = entered();
    session.report(at(10), 10_000, onAir);
    session.resumed(at(27));
    session.report(at(30), 15_000, onAir);
    expect(seconds(session)).toEqual([13, 13]);
  });
});

describe('a time before the last one known', () => {
  test('adds nothing and takes nothing away', () => {
    const session = entered();
    session.report(at(10), 5_000, onAir);
    session.heard(at(20));
    const before = session.sums;
    session.heard(at(15));
    expect(session.report(at(15), 15_000, onAir)).toEqual([]);
    expect(session.sums).toEqual(before);
    expect(session.report(at(21), 15_000, onAir)).toEqual([{ from: at(10), to: at(21) }]);
  });

  test('still closes and resumes', () => {
    const session = entered();
    session.heard(at(20));
    session.closed(at(1), 'closed');
    session.heard(at(21));
    expect(seconds(session)).toEqual([20, 0]);
    session.resumed(at(2));
    session.heard(at(22));
    expect(seconds(session)).toEqual([22, 0]);
  });
});

describe('after a restart', () => {
  const known = {
    online_ms: 90_000,
    watch_ms: 60_000,
    credited_until: at(-8),
    last_seen_at: at(-5),
  };

  test('a session goes on from its row, the gap left out', () => {
    const session = new WatchSession(known, start);
    expect(session.sums).toEqual({ ...known, last_seen_at: start });
    expect(session.report(at(10), 15_000, onAir)).toEqual([{ from: start, to: at(10) }]);
    expect(seconds(session)).toEqual([100, 70]);
  });

  test('with a clock that was set back it counts from now on, and its row goes on from where it was', () => {
    const ahead = { ...known, credited_until: at(3_590), last_seen_at: at(3_600) };
    const session = new WatchSession(ahead, start);
    expect(session.sums).toEqual(ahead);
    expect(session.report(at(10), 15_000, onAir)).toEqual([{ from: start, to: at(10) }]);
    session.heard(at(12));
    expect(session.sums).toEqual({
      online_ms: 102_000,
      watch_ms: 70_000,
      credited_until: at(3_610),
      last_seen_at: at(3_612),
    });
  });

  test('with a clock that was set back a time from before it adds nothing', () => {
    const session = new WatchSession({ ...known, last_seen_at: at(3_600) }, start);
    session.heard(at(-1));
    expect(session.report(at(-1), 15_000, onAir)).toEqual([]);
    expect(session.report(start, 15_000, onAir)).toEqual([]);
    expect(seconds(session)).toEqual([90, 60]);
  });
});

describe('a session that is entered before the clock has caught up with the last entry', () => {
  const row = { online_ms: 0, watch_ms: 0, credited_until: start, last_seen_at: at(3_600) };

  test('counts from the beginning, at the times of its row', () => {
    const session = new WatchSession(row, start);
    expect(session.sums).toEqual(row);
    expect(session.report(at(10), 4_000, onAir)).toEqual([{ from: at(6), to: at(10) }]);
    expect(session.sums).toEqual({
      online_ms: 10_000,
      watch_ms: 4_000,
      credited_until: at(3_610),
      last_seen_at: at(3_610),
    });
  });

  test('is resumed, closed and found silent as any other', () => {
    const session = new WatchSession(row, start);
    session.report(at(10), 10_000, onAir);
    session.closed(at(12), 'closed');
    session.resumed(at(30));
    session.report(at(35), 15_000, onAir);
    session.report(at(66), 15_000, onAir);
    session.closed(at(70), 'silent');
    expect(seconds(session)).toEqual([17, 15]);
    expect(session.sums.last_seen_at).toBe(at(3_666));
  });
});
