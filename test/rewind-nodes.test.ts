// Several nodes with a bucket: a show is gone back in at any of them, also to what another node had before.
import { expect, test } from 'bun:test';
import { startClipPush, testClip } from './support/clip-push.ts';
import { LinkedStage } from './support/linked-stage.ts';
import { newLiveChannel, until, untilLetIn } from './support/live-channel.ts';
import { readMediaPlaylist } from './support/media-playlist.ts';
import type { TestService } from './support/service.ts';

const stage = new LinkedStage();
const withinMs = 40_000;

/** The list of a show as a node has it now; undefined where it has none. */
async function shownOn({ url }: TestService, playlistUrl: string) {
  const first = await fetch(url + new URL('show.m3u8', playlistUrl).pathname);
  const [name] = /^show-.*/m.exec(await first.text()) ?? [];
  if (first.status !== 200 || name === undefined) return undefined;
  const list = await fetch(new URL(name, first.url));
  if (list.status !== 200) return undefined;
  const { segments, isEnded } = readMediaPlaylist(await list.text());
  const bytesOf = async (file = '') => {
    const piece = await fetch(new URL(file, first.url));
    return `${piece.status} ${Bun.hash(await piece.arrayBuffer())}`;
  };
  return { name, segments, isEnded, url: list.url, bytesOf };
}

test('the list of a show is the same on every node, and goes on from what another node had', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const shown = (service: TestService) => shownOn(service, channel.playlistUrl);
  const isListed = (service: TestService, count: number) =>
    until(async () => ((await shown(service))?.segments.length ?? 0) >= count, {
      ...{ withinMs, otherwise: `${count} pieces are not listed` },
    });
  const first = await startClipPush(channel.publishUrl, testClip());
  await isListed(b, 2);
  const [own, other] = [await shown(a), await shown(b)];
  expect(other?.name).toBe(own?.name as string);
  for (const at of [0, 1]) {
    const [here, there] = [own?.segments[at], other?.segments[at]];
    expect(there).toEqual(here as typeof there);
    const bytes = await own?.bytesOf(here?.uri);
    expect(bytes).toStartWith('200 ');
    expect(await other?.bytesOf(there?.uri)).toBe(bytes as string);
    expect(await other?.bytesOf(there?.map)).toBe((await own?.bytesOf(here?.map)) as string);
  }

  first.publisher.cut();
  const { pathname } = new URL(channel.publishUrl);
  const there = `rtmp://127.0.0.1:${b.rtmpPort}${pathname}`;
  const { push } = await untilLetIn(() => startClipPush(there, testClip()), { withinMs });
  const goesOn = async () => {
    const [atA, atB] = [await shown(a), await shown(b)];
    const isNew = (atA?.segments.at(-1)?.discontinuity ?? 0) > 0;
    return isNew && atB?.name !== own?.name && atB?.name === atA?.name;
  };
  await until(goesOn, { withinMs, otherwise: 'it does not go on at the other node' });
  // Whoever plays the list of before learns that it is over.
  expect((await fetch(other?.url ?? '')).status).toBe(404);
  const after = await shown(a);
  expect(after?.segments[0]?.startsAt).toBe(own?.segments[0]?.startsAt as string);
  for (const { uri } of after?.segments ?? []) {
    const bytes = await after?.bytesOf(uri);
    expect(bytes).toStartWith('200 ');
    expect(await (await shown(b))?.bytesOf(uri)).toBe(bytes as string);
  }
  await push.end();
}, 180_000);
