// Two accounts that want more of the processors than LADDER_CORES: who got nothing is told, and is next.
import { afterAll, beforeAll, expect } from 'bun:test';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { type Engine, engines } from './support/engines.ts';
import { ladderClip, variantsAt, wantLadder } from './support/ladder-stage.ts';
import { type LiveChannel, newLiveChannel, until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { startPlaylistPlayer } from './support/playlist-player.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { startTestService, type TestService } from './support/service.ts';

const needed =
  noFfmpeg ?? (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const soon = { withinMs: 60_000 };

let service: TestService;
const pushes: ClipPush[] = [];
beforeAll(async () => {
  // One push of this clip is reckoned to take 0.09, and its smallest size alone 0.04.
  const settings = { MIN_FREE_DISK: '10M', LADDER_CORES: '0.1', RECONNECT_MS: '0' };
  service = await startTestService(engines[0] as Engine, { settings });
});
afterAll(async () => {
  for (const push of pushes) await push.end();
  await service.stop();
});

async function sizesOf({ playlistUrl }: LiveChannel): Promise<(string | undefined)[]> {
  const listed = await variantsAt(playlistUrl);
  return listed.map(({ url }) => new URL(url).pathname.split('/').at(-1));
}

/** What the log says of a channel's ladder. */
function saidOf({ id }: LiveChannel): { message: string }[] {
  return service.logLines
    .map((line) => JSON.parse(line))
    .filter(({ channel_id, message }) => channel_id === id && /live ladder/.test(message));
}

async function said(channel: LiveChannel, what: string): Promise<void> {
  await until(() => saidOf(channel).some((one) => one.message.startsWith(what)), {
    ...soon,
    otherwise: `the log does not say: ${what}`,
  });
}

testWith(
  needed,
  'who got none is told of, has the sound alone, and is next when another has ended',
  async () => {
    const clip = ladderClip();
    await wantLadder(service, true);
    const first = await newLiveChannel(service);
    const firstPush = await startClipPush(first.publishUrl, clip);
    pushes.push(firstPush);
    await said(first, 'a live ladder begins');

    const account_id = await service.newAccount();
    await wantLadder(service, true, account_id);
    const token = await service.newToken({ account_id });
    const second = await newLiveChannel({
      url: service.url,
      call: (method, path, asked) => service.call(method, path, { ...asked, token }),
    });
    pushes.push(await startClipPush(second.publishUrl, clip));
    await said(second, 'a push has no live ladder');
    expect(saidOf(second)).toMatchObject([{ account_id, why: 'all are' }]);
    expect(await sizesOf(second)).toEqual(['source.m3u8', 'sound.m3u8']);

    await firstPush.end();
    await said(second, 'a live ladder begins');
    // It was told of once, however often it was tried.
    expect(saidOf(second)).toHaveLength(2);
    const sizes = ['source.m3u8', '480p.m3u8', '360p.m3u8', 'sound.m3u8'];
    expect(await sizesOf(second)).toEqual(sizes);
    const player = startPlaylistPlayer(second.playlistUrl.replace('live.m3u8', '480p.m3u8'));
    await player.seen(({ segments }) =>
      [...segments.values()].some(({ uri, isGap }) => uri !== undefined && !isGap),
    );
    await player.stop();
  },
  240_000,
);
