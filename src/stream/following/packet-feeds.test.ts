// What a holder gives nodes that pass its stream on, with a line between them that the test can hold up.
import { expect, test } from 'bun:test';
import { liveChannel } from '../../../test/fixtures/live-channel.ts';
import { audioTrack, videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import { until } from '../../../test/support/live-channel.ts';
import { LiveStream, nothingSaid } from '../live/live-stream.ts';
import { PacketFeeds } from './packet-feeds.ts';
import { readRelayed } from './relayed-packets.ts';

function onAir({ hasVideo = true } = {}) {
  const live = new LiveStream(liveChannel, 0);
  live.publication({ isHeld: () => true, onMedia() {}, onEnd() {} }).describe(nothingSaid);
  if (hasVideo) live.track(videoTrack);
  live.track(audioTrack);
  const bytes = Uint8Array.of(1, 2, 3);
  const picture = (timestamp: number, isKey = false) =>
    live.picture({ timestamp, compositionMs: 66, isKey, bytes });
  const sound = (timestamp: number) => live.sound({ timestamp, bytes });
  return { live, picture, sound, feeds: new PacketFeeds() };
}

/** A node, and the line to it, which takes nothing while it is held up and then goes on with a start. */
function node(feeds: PacketFeeds, live: LiveStream, after?: string, { isHeldUp = false } = {}) {
  const heard: string[] = [];
  const sent: Uint8Array[] = [];
  const line = { isHeldUp, name: '' };
  let isBehind = false;
  const leave = feeds.follow(
    live,
    { playId: 'play', after },
    {
      send: (whole, { isStart = false } = {}) => {
        isBehind ||= line.isHeldUp;
        if (line.isHeldUp || (isBehind && !isStart)) return false;
        isBehind = false;
        sent.push(whole);
        const { head, packets } = readRelayed(whole);
        if (head.kind === 'begin') line.name = head.line;
        if (head.kind === 'end') heard.push(`end ${head.how}`);
        if (head.kind === 'packets' && head.isResumed) heard.push('resumed');
        for (const { kind } of (head.kind === 'packets' && head.described?.tracks) || [])
          heard.push(`${kind}-track`);
        for (const { kind, dtsMs, ptsMs, isKey, bytes } of packets) {
          expect(bytes.length).toBe(3);
          const sign = kind === 'audio' ? 'a' : isKey ? 'K' : 'v';
          heard.push(`${sign}${dtsMs}${kind === 'video' ? `+${ptsMs - dtsMs}` : ''}`);
        }
        return true;
      },
      end: () => heard.push('closed'),
    },
  );
  return { line, sent, leave, take: () => heard.splice(0).join(' '), heard };
}

const comes = (heard: string[], what: string) =>
  until(() => heard.includes(what), { withinMs: 2_000, otherwise: `${what} does not come` });

test('a node gets the tracks, the last group of pictures and all that comes, written once for all', async () => {
  const { live, picture, sound, feeds } = onAir();
  picture(0, true);
  sound(10);
  const [one, other] = [node(feeds, live), node(feeds, live)];
  expect(one.take()).toBe('video-track audio-track K0+66 a10');
  expect(other.take()).toBe('video-track audio-track K0+66 a10');
  picture(40);
  picture(80);
  await comes(one.heard, 'v80+66');
  expect(one.take()).toBe('v40+66 v80+66');
  expect(other.take()).toBe('v40+66 v80+66');
  expect(one.sent.at(-1)).toBe(other.sent.at(-1) as Uint8Array);
  expect(feeds.count).toBe(2);
  one.leave?.();
  live.end('taken');
  expect(one.take()).toBe('');
  expect(other.take()).toBe('end taken closed');
  expect(feeds.count).toBe(0);
});

test('a node that takes too little goes on at a key frame, with its tracks', async () => {
  const { live, picture, feeds } = onAir();
  picture(0, true);
  const { line, take, heard } = node(feeds, live);
  take();
  line.isHeldUp = true;
  picture(40);
  picture(80, true);
  picture(120);
  line.isHeldUp = false;
  picture(160, true);
  picture(200);
  picture(240, true);
  await comes(heard, 'K240+66');
  expect(take()).toStartWith('video-track audio-track K');
});

test('a node whose very beginning was lost learns at a key frame whose timeline it is on', async () => {
  const { live, picture, feeds } = onAir();
  picture(0, true);
  const { line, take, heard } = node(feeds, live, undefined, { isHeldUp: true });
  picture(40, true);
  picture(80, true);
  line.isHeldUp = false;
  picture(120, true);
  picture(160, true);
  await comes(heard, 'K160+66');
  expect(take()).toStartWith('video-track audio-track K');
  expect(line.name).toBe(`${live.lease.push} ${live.lease.epoch}`);
});

test('a node whose line was cut does not get again what it has', async () => {
  const { live, picture, feeds } = onAir();
  picture(0, true);
  const first = node(feeds, live);
  first.leave?.();
  const again = node(feeds, live, first.line.name);
  expect(again.take()).toBe('video-track audio-track');
  picture(40);
  picture(80, true);
  await comes(again.heard, 'K80+66');
  expect(again.take()).toBe('video-track audio-track K80+66');
});

test('a push that was cut and is back is said, and one of sound alone waits for no picture', async () => {
  const { live, sound, feeds } = onAir({ hasVideo: false });
  sound(0);
  const { take, heard } = node(feeds, live);
  take();
  live.resume();
  live.track(audioTrack);
  sound(0);
  await comes(heard, 'resumed');
  expect(take()).toBe('resumed audio-track a40');
});
