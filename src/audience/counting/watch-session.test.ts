// What a session adds up to: reports honest and forged, silences, closes, resumes, restarts.
import { describe, expect, test } from 'bun:test';
import { endlessShow, timesOf } from '../../../test/support/some-show.ts';
import { readSpans, spanText } from '../records/span.ts';
import { OnAir } from './on-air.ts';
import { WatchSession } from './watch-session.ts';

const start = 1_000_000;
const onAir = new OnAir(endlessShow(0), 0);
const at = (s: number) => start + s * 1_000;
const noSpans = spanText([]);

function entered(): WatchSession {
  return new WatchSession(
    { online_ms: 0, watch_ms: 0, credited_until: start, last_seen_at: start, spans: noSpans },
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
    expect(timesOf(session.report(at(10), { played_ms: 4_000 }, onAir))).toEqual([
      { from: at(6), to: at(10) },
    ]);
    expect(session.sums).toMatchObject({
      online_ms: 10_000,
      watch_ms: 4_000,
      credited_until: at(10),
      last_seen_at: at(10),
    });
  });

  test('of a page that plays without a break credits all of it', () => {
    const session = entered();
    for (let s = 10; s <= 100; s += 10) session.report(at(s), { played_ms: 10_000 }, onAir);
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
    session.report(at(10), { played_ms: played_ms }, onAir);
    expect(seconds(session)).toEqual([10, earnedS]);
  });

  test('earns 15 s at most, however late it is', () => {
    const session = entered();
    expect(timesOf(session.report(at(25), { played_ms: 25_000 }, onAir))).toEqual([
      { from: at(10), to: at(25) },
    ]);
  });

  test('that comes twice earns once', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, onAir);
    expect(timesOf(session.report(at(10), { played_ms: 10_000 }, onAir))).toEqual([]);
    expect(seconds(session)).toEqual([10, 10]);
  });

  test('that is sent again later earns no more than the time since', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, onAir);
    expect(timesOf(session.report(at(11), { played_ms: 10_000 }, onAir))).toEqual([
      { from: at(10), to: at(11) },
    ]);
  });

  test('counts from the report before, not from another message', () => {
    const session = entered();
    session.heard(at(7));
    expect(timesOf(session.report(at(10), { played_ms: 10_000 }, onAir))).toEqual([
      { from: at(0), to: at(10) },
    ]);
  });

  test('counts only what was on air', () => {
    const channel = new OnAir(endlessShow(start), start);
    channel.live(undefined, at(3));
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, channel);
    expect(timesOf(session.report(at(20), { played_ms: 10_000 }, channel))).toEqual([
      { from: at(10), to: at(13) },
    ]);
    expect(timesOf(session.report(at(30), { played_ms: 10_000 }, channel))).toEqual([]);
    expect(seconds(session)).toEqual([30, 13]);
    expect(session.sums.credited_until).toBe(at(13));
  });

  test('over two pushes has two parts', () => {
    const channel = new OnAir(endlessShow(start - 20_000), start - 20_000);
    channel.live(undefined, at(-5));
    channel.live(endlessShow(at(8)), at(8));
    const session = entered();
    expect(timesOf(session.report(at(12), { played_ms: 12_000 }, channel))).toEqual([
      { from: at(0), to: at(5) },
      { from: at(8), to: at(12) },
    ]);
    expect(seconds(session)).toEqual([12, 9]);
  });

  test('that played before the channel was on air does not reach forward', () => {
    const channel = new OnAir(undefined, start);
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, channel);
    channel.live(endlessShow(at(10)), at(10));
    expect(timesOf(session.report(at(12), { played_ms: 10_000 }, channel))).toEqual([
      { from: at(10), to: at(12) },
    ]);
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
    session.report(at(10), { played_ms: 10_000 }, onAir);
    session.closed(at(12), 'silent');
    expect(seconds(session)).toEqual([10, 10]);
  });

  test('leaves a silence out that nobody noticed, and so does watching', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, onAir);
    expect(timesOf(session.report(at(40.001), { played_ms: 30_000 }, onAir))).toEqual([]);
    session.report(at(45.001), { played_ms: 5_000 }, onAir);
    expect(seconds(session)).toEqual([15, 15]);
  });

  test('ends with the close: what comes after adds nothing', () => {
    const session = entered();
    session.closed(at(5), 'closed');
    session.heard(at(6));
    session.closed(at(7), 'closed');
    expect(timesOf(session.report(at(8), { played_ms: 8_000 }, onAir))).toEqual([]);
    expect(seconds(session)).toEqual([5, 0]);
  });
});

describe('a resume', () => {
  test('leaves the gap out', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, onAir);
    session.closed(at(12), 'closed');
    session.resumed(at(30));
    expect(session.sums.last_seen_at).toBe(at(30));
    expect(timesOf(session.report(at(35), { played_ms: 15_000 }, onAir))).toEqual([
      { from: at(30), to: at(35) },
    ]);
    expect(seconds(session)).toEqual([17, 15]);
  });

  test('of a session that is still open closes it first', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, onAir);
    session.resumed(at(12));
    session.report(at(14), { played_ms: 15_000 }, onAir);
    expect(seconds(session)).toEqual([14, 12]);
  });

  test('of one that is open and long unheard leaves the time since its last message out', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000 }, onAir);
    session.resumed(at(27));
    session.report(at(30), { played_ms: 15_000 }, onAir);
    expect(seconds(session)).toEqual([13, 13]);
  });
});

describe('a time before the last one known', () => {
  test('adds nothing and takes nothing away', () => {
    const session = entered();
    session.report(at(10), { played_ms: 5_000 }, onAir);
    session.heard(at(20));
    const before = session.sums;
    session.heard(at(15));
    expect(timesOf(session.report(at(15), { played_ms: 15_000 }, onAir))).toEqual([]);
    expect(session.sums).toEqual(before);
    expect(timesOf(session.report(at(21), { played_ms: 15_000 }, onAir))).toEqual([
      { from: at(10), to: at(21) },
    ]);
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
    spans: spanText([{ show: 0, from: at(-68), to: at(-8), position: at(-68) }]),
  };

  test('a session goes on from its row, the gap left out', () => {
    const session = new WatchSession(known, start);
    expect(session.sums).toEqual({ ...known, last_seen_at: start });
    expect(timesOf(session.report(at(10), { played_ms: 15_000 }, onAir))).toEqual([
      { from: start, to: at(10) },
    ]);
    expect(seconds(session)).toEqual([100, 70]);
  });

  test('with a clock that was set back it counts from now on, and its row goes on from where it was', () => {
    const ahead = { ...known, credited_until: at(3_590), last_seen_at: at(3_600) };
    const session = new WatchSession(ahead, start);
    expect(session.sums).toEqual(ahead);
    expect(timesOf(session.report(at(10), { played_ms: 15_000 }, onAir))).toEqual([
      { from: start, to: at(10) },
    ]);
    session.heard(at(12));
    expect(session.sums).toMatchObject({
      online_ms: 102_000,
      watch_ms: 70_000,
      credited_until: at(3_610),
      last_seen_at: at(3_612),
    });
  });

  test('with a clock that was set back a time from before it adds nothing', () => {
    const session = new WatchSession({ ...known, last_seen_at: at(3_600) }, start);
    session.heard(at(-1));
    expect(timesOf(session.report(at(-1), { played_ms: 15_000 }, onAir))).toEqual([]);
    expect(timesOf(session.report(start, { played_ms: 15_000 }, onAir))).toEqual([]);
    expect(seconds(session)).toEqual([90, 60]);
  });
});

describe('a session that is entered before the clock has caught up with the last entry', () => {
  const row = {
    online_ms: 0,
    watch_ms: 0,
    credited_until: start,
    last_seen_at: at(3_600),
    spans: noSpans,
  };

  test('counts from the beginning, at the times of its row', () => {
    const session = new WatchSession(row, start);
    expect(session.sums).toEqual(row);
    expect(timesOf(session.report(at(10), { played_ms: 4_000 }, onAir))).toEqual([
      { from: at(6), to: at(10) },
    ]);
    expect(session.sums).toMatchObject({
      online_ms: 10_000,
      watch_ms: 4_000,
      credited_until: at(3_610),
      last_seen_at: at(3_610),
    });
  });

  test('is resumed, closed and found silent as any other', () => {
    const session = new WatchSession(row, start);
    session.report(at(10), { played_ms: 10_000 }, onAir);
    session.closed(at(12), 'closed');
    session.resumed(at(30));
    session.report(at(35), { played_ms: 15_000 }, onAir);
    session.report(at(66), { played_ms: 15_000 }, onAir);
    session.closed(at(70), 'silent');
    expect(seconds(session)).toEqual([17, 15]);
    expect(session.sums.last_seen_at).toBe(at(3_666));
  });
});

describe('spans', () => {
  const spansOf = ({ sums }: WatchSession) => sums.spans && readSpans(sums.spans);

  test('tell what was watched when', () => {
    const session = entered();
    for (let s = 10; s <= 40; s += 10) session.report(at(s), { played_ms: 10_000 }, onAir);
    session.report(at(50), { played_ms: 4_000 }, onAir);
    expect(spansOf(session)).toEqual([
      { show: 0, from: start, to: at(40), position: start },
      { show: 0, from: at(46), to: at(50), position: at(46) },
    ]);
  });

  test('begin anew where the picture jumps', () => {
    const session = entered();
    session.report(at(10), { played_ms: 10_000, shown_at: at(2) }, onAir);
    session.report(at(20), { played_ms: 10_000, shown_at: at(12) }, onAir);
    session.report(at(30), { played_ms: 10_000, shown_at: at(29) }, onAir);
    expect(spansOf(session)).toEqual([
      { show: 0, from: start, to: at(20), position: at(-8) },
      { show: 0, from: at(20), to: at(30), position: at(19) },
    ]);
  });

  test('go on from the row after a restart, by the clock of the show where it was set back', () => {
    const before = { show: 0, from: at(3_500), to: at(3_590), position: 0 };
    const known = { online_ms: 90_000, watch_ms: 90_000, credited_until: at(3_590) };
    const spans = spanText([before]);
    const session = new WatchSession({ ...known, last_seen_at: at(3_600), spans }, start);
    session.report(at(10), { played_ms: 10_000 }, onAir);
    expect(spansOf(session)).toEqual([
      before,
      { show: 0, from: start, to: at(10), position: start },
    ]);
  });

  test('of a row that has none are not begun: they would not come to its time', () => {
    const known = { online_ms: 90_000, watch_ms: 60_000, credited_until: start, spans: null };
    const session = new WatchSession({ ...known, last_seen_at: start }, start);
    session.report(at(10), { played_ms: 10_000 }, onAir);
    expect(spansOf(session)).toBeNull();
    expect(session.sums.watch_ms).toBe(70_000);
  });
});
