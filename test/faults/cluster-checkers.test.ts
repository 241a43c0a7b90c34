// The checkers of the trial with several nodes are checked too: each history that is wrong is complained of.
import { describe, expect, test } from 'bun:test';
import { testClip } from '../support/clip-push.ts';
import { isPicture, numbered, numbersIn } from '../support/cluster/numbered-pictures.ts';
import {
  absenceProblems,
  holdingsOf,
  type PushEvent,
  pushProblems,
} from '../support/cluster/push-history.ts';
import { lackingOf, recordingProblems } from '../support/cluster/recorded-numbers.ts';
import { ShownHistory } from '../support/cluster/shown-history.ts';
import { endedTwice, unionMs, visitorProblems } from '../support/cluster/watched-union.ts';

test('the number of a picture is found again', () => {
  const pictures = testClip().tags.filter(isPicture).slice(0, 3);
  const bytes = pictures.map(({ body }, at) => numbered(body, 7 + at));
  expect(numbersIn(Buffer.concat(bytes))).toEqual([7, 8, 9]);
});

describe('a recording', () => {
  const sent = [
    { from: 1, to: 10 },
    { from: 11, to: 20 },
  ];
  const all = Array.from({ length: 20 }, (_, at) => at + 1);
  const problemsOf = (found: readonly number[]) =>
    recordingProblems({ sent, found, mayLack: [{ from: 8, to: 10, why: 'kill' }] });

  test('that has what was sent is right, also without what may lack', () => {
    expect(problemsOf(all)).toEqual([]);
    expect(problemsOf(all.filter((number) => number < 8 || number > 10))).toEqual([]);
  });

  test.each([
    ['lacks a picture', all.filter((number) => number !== 15), /15 to 15 .* not recorded/],
    ['lacks more than may', all.filter((number) => number < 7 || number > 10), /7 to 10/],
    ['has one twice', [...all.slice(0, 5), 5, ...all.slice(5)], /5 is recorded twice/],
    ['has them in another order', [...all.slice(10), ...all.slice(0, 10)], /1 is recorded behind/],
    ['has what nobody sent', [...all, 21], /21 is recorded and was not sent/],
  ])('that %s is wrong', (_, found, complaint) => {
    expect(problemsOf(found).join()).toMatch(complaint);
  });

  test('what lacks is told by the connection', () => {
    expect(lackingOf(sent, all.slice(0, 8))).toEqual([
      { from: 9, to: 10 },
      { from: 11, to: 20 },
    ]);
  });
});

describe('a push', () => {
  const held = (epoch: number, node: string, push = 'p'): PushEvent => {
    return { kind: 'push', at: 0, channel_id: 1, push, epoch, node, state: 'live' };
  };
  const named = (epoch: number, sequence: number, key = `${sequence}`): PushEvent => {
    return { kind: 'segment', at: 0, recording: 'p', epoch, sequence, key };
  };

  test('that moves, with a tail that comes late, is right', () => {
    const history = [held(1, 'a'), named(1, 5), held(2, 'b'), named(2, 9), named(1, 6)];
    expect(pushProblems(history)).toEqual([]);
  });

  test.each([
    ['two writers by one epoch', [held(1, 'a'), held(1, 'b')], /epoch 1 is of a, and of b/],
    ['an epoch of two pushes', [held(1, 'a'), held(1, 'a', 'q')], /epoch 1 is of/],
    ['an epoch that falls', [held(2, 'a'), held(1, 'b')], /epoch 1 of b comes after 2/],
    ['a tail behind its next', [named(1, 5), named(2, 6), named(1, 7)], /7 of epoch 1 .* behind 6/],
    ['a number twice', [named(1, 5), named(2, 5, 'other')], /segment 5 is 5, and other/],
  ])('with %s is wrong', (_, history, complaint) => {
    expect(pushProblems(history).join()).toMatch(complaint);
  });
});

describe('that nothing is on', () => {
  const from = (at: number, state: string, channel_id = 1): PushEvent => {
    return { kind: 'push', at, channel_id, push: 'p', epoch: 1, node: 'a', state };
  };
  const said = { node: 'b', run: 2, askedAt: 100_000, at: 106_000 };
  const problemsOf = (...history: PushEvent[]) =>
    absenceProblems(holdingsOf(history, 1), [said]).join();

  test.each([
    ['before a push', [from(107_000, 'live')]],
    ['when one has just begun', [from(99_500, 'live')]],
    ['after it', [from(10_000, 'live'), from(20_000, 'ended')]],
    ['when it ends meanwhile', [from(10_000, 'live'), from(105_000, 'ended')]],
    ['just before its row says so', [from(10_000, 'live'), from(106_500, 'ended')]],
    ['while another channel is live', [from(10_000, 'live', 2)]],
  ])('may be said %s', (_, history) => {
    expect(problemsOf(...history)).toBe('');
  });

  test.each([
    ['live', [from(10_000, 'live')]],
    ['cut', [from(10_000, 'live'), from(103_000, 'cut')]],
    ['live again', [from(10_000, 'ended'), from(20_000, 'live')]],
  ])('is wrong while it is %s', (_, history) => {
    expect(problemsOf(...history)).toMatch(/b, run 2: nothing is on/);
  });
});

describe('what is shown', () => {
  const by = { node: 'a', run: 1 };
  const text = (first: number, ...files: string[]) =>
    [
      ...['#EXTM3U', '#EXT-X-VERSION:9', '#EXT-X-TARGETDURATION:4'],
      ...[`#EXT-X-MEDIA-SEQUENCE:${first}`, '#EXT-X-MAP:URI="init.mp4"'],
      ...files.flatMap((file) => [
        '#EXTINF:2.000,',
        ...(/gap/.test(file) ? ['#EXT-X-GAP'] : []),
        file,
      ]),
      '',
    ].join('\n');

  test('is right where numbers rise and names are the same', () => {
    const history = new ShownHistory();
    history.playlist(by, text(7, '7.m4s', '8.m4s'));
    const list = history.playlist(by, text(8, '8.m4s', '9.gap.m4s'));
    expect(list?.segments.map(({ isGap }) => isGap)).toEqual([false, true]);
    history.playlist({ node: 'a', run: 2 }, text(8, '8.0-3.m4s', '9.m4s'));
    for (const node of ['a', 'b']) history.file({ node, run: 1 }, '7.m4s', 'x');
    expect(history.problems).toEqual([]);
    expect([history.playlists, history.files]).toEqual([3, 1]);
  });

  test.each([
    ['the media sequence falls', text(6, '6.m4s', '7.m4s', '8.m4s'), /sequence 6 after 7/],
    ['the newest is gone', text(7, '7.m4s'), /newest is 7 after 8/],
    ['a number has another file', text(7, '7.m4s', '2-8.m4s'), /8 is 8.m4s, and then 2-8.m4s/],
    ['it is no playlist', '#EXTM3U\nx\n', /no EXTINF/],
  ])('is wrong where %s', (_, second, complaint) => {
    const history = new ShownHistory();
    history.playlist(by, text(7, '7.m4s', '8.m4s'));
    history.playlist(by, second);
    expect(history.problems.join()).toMatch(complaint);
  });

  test('of another process may be one number behind', () => {
    const history = new ShownHistory();
    const again = { node: 'a', run: 2 };
    history.playlist(by, text(7, '7.m4s', '8.m4s', '9.m4s'));
    history.playlist(again, text(7, '7.m4s', '8.m4s'));
    expect(history.problems).toEqual([]);
    history.playlist(by, text(7, '7.m4s', '8.m4s', '9.m4s'));
    history.playlist(again, text(7, '7.m4s'));
    expect(history.problems.join()).toMatch(/newest is 7 after 9/);
  });

  test('is wrong where a name has two contents', () => {
    const history = new ShownHistory();
    history.file(by, '7.m4s', 'x');
    history.file({ node: 'b', run: 1 }, '7.m4s', 'y');
    expect(history.problems).toEqual(['7.m4s is one thing on a and another on b']);
  });
});

describe('visitors', () => {
  const spans = [{ from: 100, to: 300 }];
  const later = [{ from: 200, to: 500 }];
  const visitor = {
    ...{ viewer_id: 'v', watch_ms: 400, visit_times: 2 },
    sessions: [
      { record_id: 1, watch_ms: 200, spans },
      { record_id: 2, watch_ms: 300, spans: later },
    ],
  };
  const page = { viewer_id: 'v', records: [1], mayHave: 1, played: spans, mayLoseMs: 0 };
  const other = { ...page, records: [2], played: later };
  const problemsOf = (visitors: (typeof visitor)[], pages: (typeof page)[]) =>
    visitorProblems({ visitors, pages, doubtMs: 10 }).join();

  test('whose tabs overlap are right with the union', () => {
    expect(unionMs([...spans, ...later])).toBe(400);
    expect(unionMs([])).toBe(0);
    expect(problemsOf([visitor], [page, other])).toBe('');
  });

  const [first, second] = visitor.sessions as [
    (typeof visitor)['sessions'][0],
    (typeof visitor)['sessions'][0],
  ];
  test.each([
    [
      'the sum is not the union',
      [{ ...visitor, watch_ms: 500 }],
      [page, other],
      /spans come to 400/,
    ],
    ['a visit counts twice', [{ ...visitor, visit_times: 3 }], [page, other], /3 visits/],
    [
      'a session is not what its spans are',
      [{ ...visitor, sessions: [{ ...first, watch_ms: 1 }, second] }],
      [page, other],
      /session 1 has 1 ms/,
    ],
    ['a page had two sessions', [visitor], [{ ...page, records: [1, 2] }], /sessions 1,2, not 1/],
    ['two pages had one', [visitor], [page, { ...other, records: [2, 1] }], /two pages had one/],
    ['a session is nobody’s', [visitor], [{ ...page, mayLoseMs: 500 }], /session 2 of v is nobody/],
    ['more was counted than played', [visitor], [page, { ...other, played: [] }], /played 200/],
    [
      'a page has more than it said',
      [visitor],
      [page, { ...other, played: later.map(({ to }) => ({ from: 300, to })) }],
      /a page of v has 300 ms and played 200/,
    ],
    [
      'what was played is not counted',
      [visitor],
      [page, { ...other, played: [{ from: 200, to: 600 }] }],
      /400 ms of 500/,
    ],
    ['one who was let in is not known', [], [page], /not known/],
  ])('are wrong where %s', (_, visitors, pages, complaint) => {
    expect(problemsOf(visitors, pages)).toMatch(complaint);
  });

  test('a session that is over twice is told', () => {
    expect(endedTwice([{ sessions: [1, 2] }, { sessions: [3] }])).toEqual([]);
    expect(endedTwice([{ sessions: [1, 2] }, { sessions: [2] }])).toHaveLength(1);
  });
});
