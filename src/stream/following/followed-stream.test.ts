// What a holder feeds and a follower shows, with a line between them that the test can hold up or cut.
import { expect, test } from 'bun:test';
import { clipPackets, slowlyPackaged } from '../../../test/support/media.ts';
import type { TopicStream } from '../../base/links/links.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { liveFiles } from '../playback/live-files.ts';
import { LiveWindow } from '../playback/live-window.ts';
import { type FollowedMedia, mediaTopic } from './followed-media.ts';
import { FollowedStream } from './followed-stream.ts';
import { StreamFeeds } from './stream-feeds.ts';

const partTargetMs = () => 220;

/** The clock that nodes share, and for how long what is sent is on its way. */
const time = { ms: 1_000, delayMs: 0 };

/** A holder in the middle of a stream; ten parts make a segment. */
function holder(parts: number) {
  const window = new LiveWindow({ partTargetMs, onEnded: () => {} });
  const feeds = new StreamFeeds({ now: () => time.ms });
  const reader = feeds.open('play', { window, partTargetMs });
  const { nextPart } = slowlyPackaged(clipPackets(8), window, reader);
  const next = (count: number) => {
    for (let n = 0; n < count; n += 1) nextPart();
  };
  next(parts);
  return { window, feeds, reader, next };
}

/** A follower, and the line to it: what is sent while it is held up is lost, as where too much waits. */
function follower(
  feeds: StreamFeeds,
  {
    isHeldUp = false,
    shownBefore = undefined,
  }: { isHeldUp?: boolean; shownBefore?: number | undefined } = {},
) {
  const window = new LiveWindow({ partTargetMs, onEnded: () => {}, shownBefore });
  const line = { isHeldUp, hasLost: false };
  const stream = new FollowedStream({
    open: () => window,
    onShown: () => {},
    now: () => time.ms + time.delayMs,
  });
  const fed: TopicStream<FollowedMedia> = {
    send: (media, { isStart = false } = {}) => {
      const isLost = line.isHeldUp || (line.hasLost && !isStart);
      if (isLost) {
        line.hasLost = true;
        return false;
      }
      const whole = mediaTopic.answer.write(media);
      stream.take(mediaTopic.answer.read(whole), line.hasLost);
      line.hasLost = false;
      return true;
    },
    end: () => {},
  };
  const leave = feeds.follow({ playId: 'play', after: stream.after }, fed);
  const handle = liveFiles(() => window);
  const get = async (file: string) =>
    await handle({
      params: { playId: 'play', file },
      query: () => null,
      header: () => null,
      address: '127.0.0.1',
    });
  return { window, line, stream, leave, get };
}

const filesOf = (window: LiveWindow) =>
  Array.from(window.playlist().text.matchAll(/^([\d.-]+\.m4s)$/gm), ([, file]) => file);

test('what players have seen under other names is not shown to them again', () => {
  const { window, feeds, next } = holder(14);
  const shownBefore = window.lastSequence ?? 0;
  const followed = follower(feeds, { shownBefore });
  expect(followed.window.isEmpty).toBe(true);
  next(17);
  expect(filesOf(window)).toEqual(['100.m4s', '101.m4s', '102.m4s']);
  expect(filesOf(followed.window)).toEqual(['102.m4s']);
});

test('who follows shows what the holder shows, from before it came on', () => {
  const { window, feeds, next } = holder(24);
  const followed = follower(feeds);
  expect(feeds.followerCount).toBe(1);
  expect(followed.window.playlist().text).toBe(window.playlist().text);
  for (let n = 0; n < 9; n += 1) {
    next(1);
    expect(followed.window.playlist().text).toBe(window.playlist().text);
  }
  followed.leave?.();
  expect(feeds.followerCount).toBe(0);
});

test('how far it is behind is told by the parts that come as they are made, and grows while nobody feeds it', () => {
  const { feeds, next } = holder(24);
  const { stream } = follower(feeds);
  // What it catches up with was made long before.
  expect(stream.lagMs(true)).toBeUndefined();
  next(1);
  expect(stream.lagMs(true)).toBe(0);
  time.delayMs = 700;
  next(1);
  time.ms += 5_000;
  expect(stream.lagMs(true)).toBe(700);
  expect(stream.lagMs(false)).toBe(5_700);
  time.delayMs = 0;
  next(1);
  expect(stream.lagMs(true)).toBe(0);
});

test('the end is shown, and whoever is asked then says that it is over', () => {
  const { feeds, reader } = holder(12);
  const { window, stream } = follower(feeds);
  reader.ended('over');
  expect(stream.isOver).toBe(true);
  expect(window.playlist().text).toContain('#EXT-X-ENDLIST');
  expect(
    feeds.follow({ playId: 'play', after: undefined }, { send: () => true, end() {} }),
  ).toBeUndefined();
});

test('a push that another node takes has no end here', () => {
  const { feeds, reader } = holder(12);
  const { window, stream } = follower(feeds);
  reader.ended('taken');
  expect(stream.isOver).toBe(false);
  expect(window.playlist().text).not.toContain('#EXT-X-ENDLIST');
});

test('what was shown of a push that goes on elsewhere can still be had, whole and without an end', () => {
  const { window, feeds, reader } = holder(14);
  reader.ended('taken');
  const late = follower(feeds);
  expect(filesOf(late.window)).toEqual(filesOf(window));
  expect(late.stream.isOver).toBe(false);
  expect(feeds.followerCount).toBe(0);
});

test('it is shown when all that the holder shows has come', () => {
  const { feeds } = holder(14);
  const came: FollowedMedia[] = [];
  feeds.follow(
    { playId: 'play', after: undefined },
    { send: (media) => came.push(media) > 0, end() {} },
  );
  let shown = 0;
  const stream = new FollowedStream({
    open: () => new LiveWindow({ partTargetMs, onEnded: () => {} }),
    now: () => time.ms,
    onShown: () => {
      shown += 1;
    },
  });
  const last = came.findLastIndex(({ head }) => head.kind === 'part');
  for (const media of came.slice(0, last)) stream.take(media, false);
  expect(shown).toBe(0);
  for (const media of came.slice(last)) stream.take(media, false);
  expect(shown).toBe(1);
});

test('one that was held up goes on with the next segment; what it lost is a gap, what it had half can be fetched', async () => {
  const { feeds, next } = holder(14);
  const { window, line, get } = follower(feeds);
  line.isHeldUp = true;
  next(8);
  line.isHeldUp = false;
  next(14);
  const { text } = window.playlist();
  const cutShort = filesOf(window).find((file) => file?.includes('.0-')) ?? '';
  expect(cutShort).toMatch(/^\d+\.0-3\.m4s$/);
  expect(text).toContain('#EXT-X-GAP\n');
  const answer = await get(cutShort);
  expect(answer.status).toBe(200);
  const parts = window.segment(Number.parseInt(cutShort, 10))?.parts ?? [];
  const bytes = Buffer.concat(parts.map((part) => part.bytes));
  expect(Buffer.compare(await (answer.body as Blob).bytes(), bytes)).toBe(0);
  // Its name with another length, or as a whole, is nothing.
  for (const other of [cutShort.replace('-3', '-2'), cutShort.replace('.0-3', '')])
    expect((await get(other)).status).toBe(404);
});

test('one whose very beginning was lost begins with the next segment', () => {
  const { feeds, next } = holder(14);
  const { window, line } = follower(feeds, { isHeldUp: true });
  line.isHeldUp = false;
  next(20);
  expect(filesOf(window)).not.toEqual([]);
  expect(window.playlist().text).not.toContain('#EXT-X-ENDLIST');
});

test('an encoder that is begun anew with each segment is followed, each segment with its own init', async () => {
  const window = new LiveWindow({ partTargetMs, onEnded: () => {} });
  const feeds = new StreamFeeds({ now: () => time.ms });
  const reader = feeds.open('play', { window, partTargetMs });
  const add = (sequence: number) => {
    const segment = new GrowingSegment({
      ...{ sequence, init: { sequence, bytes: Uint8Array.of(sequence), tracks: [] } },
      ...{ isDiscontinuity: sequence > 100, startsAt: 2_000 * sequence, startMs: 2_000 * sequence },
    });
    for (const isIndependent of [true, false]) {
      const part = { bytes: new Uint8Array(4), durationMs: 200, isIndependent };
      segment.add(part);
      window.partAdded(segment, part);
      reader.partAdded(segment, part);
    }
    segment.complete();
    window.segmentEnded();
    reader.segmentEnded(segment);
  };
  const [whole, heldUp] = [follower(feeds), follower(feeds)];
  for (let sequence = 100; sequence < 124; sequence += 1) {
    heldUp.line.isHeldUp = sequence > 101 && sequence < 112;
    add(sequence);
  }
  const late = follower(feeds);
  expect(whole.window.playlist().text).toBe(window.playlist().text);
  expect(late.window.playlist().text).toBe(window.playlist().text);
  for (const { window: shown, get } of [whole, heldUp, late]) {
    const { text } = shown.playlist();
    const maps = Array.from(text.matchAll(/^#EXT-X-MAP:URI="init-(\d+)\.mp4"$/gm), ([, of]) =>
      Number(of),
    );
    // Those that came while one was held up it does not have.
    const listed = filesOf(window).slice(-12);
    expect(filesOf(shown).slice(-12)).toEqual(listed);
    expect(maps.slice(-12).map((of) => `${of}.m4s`)).toEqual(listed as string[]);
    for (const of of maps) {
      const { body } = await get(`init-${of}.mp4`);
      expect(await new Response(body).bytes()).toEqual(Uint8Array.of(of));
    }
  }
});

test('a size that is decoded another way from some segment on has a break where its holder has one, and nowhere else', () => {
  const window = new LiveWindow({ partTargetMs, onEnded: () => {} });
  const feeds = new StreamFeeds({ now: () => time.ms });
  const reader = feeds.open('play', { window, partTargetMs });
  const { window: shown } = follower(feeds);
  const initOf = (sequence: number) => ({ sequence, bytes: Uint8Array.of(sequence), tracks: [] });
  const [upright, turned] = [initOf(100), initOf(102)];
  // Of a phone that was turned: what is missing then comes back later, decoded another way.
  for (const { sequence, init, isDiscontinuity } of [
    { sequence: 100, init: upright, isDiscontinuity: false },
    { sequence: 101, init: upright, isDiscontinuity: true },
    { sequence: 102, init: turned, isDiscontinuity: false },
  ]) {
    const segment = new GrowingSegment({
      ...{ sequence, init, isDiscontinuity, startsAt: 2_000 * sequence, startMs: 2_000 * sequence },
    });
    const part = { bytes: new Uint8Array(4), durationMs: 200, isIndependent: true };
    segment.add(part);
    for (const one of [window, reader]) one.partAdded(segment, part);
    segment.complete();
    for (const one of [window, reader]) one.segmentEnded(segment);
  }
  expect(shown.playlist().text).toBe(window.playlist().text);
});

test('numbers that are far away begin a new list, and near ones leave a gap', () => {
  const window = new LiveWindow({ partTargetMs, onEnded: () => {} });
  const init = { sequence: 1, bytes: new Uint8Array(4), tracks: [] };
  const add = (sequence: number) => {
    const segment = new GrowingSegment({
      ...{ sequence, init, isDiscontinuity: false, startsAt: sequence, startMs: 0 },
    });
    const part = { bytes: new Uint8Array(4), durationMs: 200, isIndependent: true };
    segment.add(part);
    window.partAdded(segment, part);
    segment.complete();
    window.segmentEnded();
  };
  add(100);
  add(103);
  expect(filesOf(window)).toEqual(['100.m4s', '101.m4s', '102.m4s', '103.m4s']);
  expect(window.playlist().text.match(/#EXT-X-GAP/g)).toHaveLength(2);
  add(1_000_000);
  expect(filesOf(window)).toEqual(['1000000.m4s']);
  expect(window.segment(1_000_000)?.parts).toHaveLength(1);
});
