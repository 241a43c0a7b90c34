// A push in several sizes on several nodes: each lists them, and plays each, whoever encodes them.
import { afterAll, beforeAll, expect } from 'bun:test';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { ladderClip, problemsOf, variantsAt, wantLadder } from './support/ladder-stage.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { newLiveChannel, until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from './support/playlist-player.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import type { TestService } from './support/service.ts';

const needed =
  noFfmpeg ?? (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const soon = { withinMs: 20_000 };

let nodes: LinkedServices;
const pushes: ClipPush[] = [];
beforeAll(async () => {
  if (needed !== undefined) return;
  nodes = await startLinkedServices(2, { settings: { LADDER_CORES: '8' } });
  await nodes.linked();
});
afterAll(async () => {
  for (const push of pushes) await push.end();
  await nodes?.stop();
});

function at(number: number): TestService {
  const one = nodes.all[number];
  if (!one) throw new Error(`there is no node ${number}`);
  return one.service;
}

testWith(
  needed,
  'a node that follows a stream lists its sizes and shows those that are asked for',
  async () => {
    const { url, path } = await live();
    const listed = await variantsAt(at(1).url + path);
    expect(names(listed)).toEqual(names(await variantsAt(url)));
    for (const { url: of } of listed) {
      const player = startPlaylistPlayer(of);
      await player.seen(hasShown(1));
      await player.stop();
      expect(problemsOf(player)).toEqual([]);
    }
    // A part of each is the part of the node that made it.
    for (const { url: followed } of listed) {
      const segment = await newestAt(followed);
      const own = new URL(segment, at(0).url + new URL(followed).pathname).href;
      const [one, other] = await Promise.all([
        bytesAt(new URL(segment, followed).href),
        bytesAt(own),
      ]);
      expect(one).toEqual(other);
    }
  },
  240_000,
);

testWith(
  needed,
  'when another node takes the push over its players of a size go on',
  async () => {
    const { path, publishUrl, push } = await live();
    const size = startPlaylistPlayer(`${at(1).url}${path.replace('live.m3u8', '360p.m3u8')}`);
    await size.seen(hasShown(1));
    push.publisher.cut();
    await push.over;
    const key = publishUrl.slice(publishUrl.lastIndexOf('/'));
    const rtmp = `rtmp://127.0.0.1:${at(1).rtmpPort}/live${key}`;
    pushes.push(await startClipPush(rtmp, ladderClip()));
    const before = Math.max(...size.checker.segments.keys());
    await size.seen(({ segments }) =>
      [...segments.values()].some(
        ({ sequence, uri, isGap }) => sequence > before + 1 && uri !== undefined && !isGap,
      ),
    );
    await size.stop();
    expect(problemsOf(size)).toEqual([]);
  },
  240_000,
);

async function live() {
  await wantLadder(at(0), true);
  const { playlistUrl, publishUrl } = await newLiveChannel(at(0));
  const push = await startClipPush(publishUrl, ladderClip());
  pushes.push(push);
  const path = new URL(playlistUrl).pathname;
  const url = at(0).url + path;
  await until(async () => (await variantsAt(url)).length === 4, {
    ...soon,
    otherwise: 'it is not live in several sizes',
  });
  return { url, path, publishUrl, push };
}

function names(listed: Awaited<ReturnType<typeof variantsAt>>): unknown[] {
  return listed.map(({ url, attributes: { RESOLUTION, CODECS } }) => ({
    file: url.slice(url.lastIndexOf('/')),
    RESOLUTION,
    CODECS,
  }));
}

function hasShown(count: number): Parameters<PlaylistPlayer['seen']>[0] {
  return ({ segments }) =>
    [...segments.values()].filter(({ uri, isGap }) => uri !== undefined && !isGap).length >= count;
}

/** The name of the newest whole segment that is there. */
async function newestAt(playlist: string): Promise<string> {
  const text = await (await fetch(playlist)).text();
  const whole = [...text.matchAll(/^(#EXT-X-GAP\n)?#EXTINF:.*\n(.*)$/gm)];
  return whole.findLast(([, gap]) => gap === undefined)?.[2] ?? '';
}

async function bytesAt(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return await response.bytes();
}
