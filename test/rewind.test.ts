// Going back in a show while it is on: the real service with real pushes, by its lists and in Chromium.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startClipPush } from './support/clip-push.ts';
import { type Engine, engines } from './support/engines.ts';
import { type LiveChannel, newLiveChannel, until, videosOf } from './support/live-channel.ts';
import { type MediaPlaylist, readMediaPlaylist } from './support/media-playlist.ts';
import { startTestService, type TestService } from './support/service.ts';

/** A piece of the list is six seconds; that it is whole the next segment shows. */
const listedWithinMs = 30_000;

describe('the list of a show', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(engines[0] as Engine, { settings: { MIN_FREE_DISK: '10M' } });
  });
  afterAll(() => service.stop());

  const firstOf = ({ playlistUrl }: LiveChannel) => new URL('show.m3u8', playlistUrl);
  const listOf = async (channel: LiveChannel): Promise<[MediaPlaylist, URL] | undefined> => {
    const first = await fetch(firstOf(channel));
    if (first.status === 404) return undefined;
    const [name = ''] = /^show-.*/m.exec(await first.text()) ?? [];
    const url = new URL(name, first.url);
    return [readMediaPlaylist(await (await fetch(url)).text()), url];
  };

  test('is there while it is on and until it is a video, and has all of it', async () => {
    const channel = await newLiveChannel(service);
    const push = await startClipPush(channel.publishUrl);
    const isListed = async () => (await fetch(firstOf(channel))).status === 200;
    await until(isListed, { withinMs: listedWithinMs, otherwise: 'nothing is listed' });
    const [before, url] = (await listOf(channel)) ?? [];
    expect(before?.isEnded).toBe(false);
    await push.end();
    const videos = () => videosOf(service, channel.id);
    await until(async () => (await videos()).length > 0, {
      withinMs: listedWithinMs,
      otherwise: 'no video is made',
    });
    const isEnded = async () => (await listOf(channel))?.[0].isEnded === true;
    await until(isEnded, { withinMs: listedWithinMs, otherwise: 'the list does not end' });
    const [after] = (await listOf(channel)) ?? [];
    expect(after?.segments.slice(0, before?.segments.length)).toEqual(before?.segments as never);
    const [video] = await videos();
    const ms = after?.segments.reduce((sum, { durationMs }) => sum + durationMs, 0) ?? 0;
    expect(Math.round(ms / 1000)).toBe(video?.duration as number);
    // The live list has dates, and these are the same.
    expect(after?.segments[0]?.startsAt).toBeDefined();
    const piece = await fetch(new URL(after?.segments.at(-1)?.uri ?? '', url));
    expect(piece.headers.get('cache-control')).toContain('immutable');
    expect((await piece.bytes()).length).toBe(Number(piece.headers.get('content-length')));
    // What is deleted is not shown any more.
    const gone = await service.call('DELETE', `/v1/activities/${channel.id}`);
    expect(gone.status).toBe(200);
    expect((await fetch(firstOf(channel))).status).toBe(404);
    expect((await fetch(new URL(after?.segments[0]?.uri ?? '', url))).status).toBe(404);
  });

  test('is not there where nothing is recorded', async () => {
    const channel = await newLiveChannel(service);
    expect((await fetch(firstOf(channel))).status).toBe(404);
  });
});
