// kill -9 of the service in the middle of a push in several sizes: all of them go on after the restart, and nothing is left running.

import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isTranscoderInstalled } from '../../src/stream/recording/worker/transcoder.ts';
import { startClipPush } from '../support/clip-push.ts';
import { temporaryFolder } from '../support/engines.ts';
import { ladderClip, ladderPids, segmentsAt, variantsAt } from '../support/ladder-stage.ts';
import { newLiveChannel, until, videosOf } from '../support/live-channel.ts';
import { processPatience } from '../support/machine-pace.ts';
import { judgeVideo } from '../support/media-judge.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { noFfmpeg } from '../support/recorded-clip.ts';
import { footlight, startProcess } from '../support/service-process.ts';

const needed =
  notLinux ??
  noFfmpeg ??
  (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const soon = { withinMs: 20_000 };

testWith(
  needed,
  'a killed service leaves no encoder behind, and its sizes go on after the restart',
  async () => {
    const DATA_DIR = temporaryFolder();
    const settings = {
      ...processPatience,
      ...{ DATA_DIR, HOST: '127.0.0.1', PORT: '0', RTMP_PORT: '0' },
      ...{ MIN_FREE_DISK: '10M', LADDER_CORES: '8' },
    };
    const clip = ladderClip();
    const killed = await startProcess(settings);
    const words = ['account', 'set', '1', '--live-ladder', 'true'];
    const set = Bun.spawn([...footlight, ...words], { env: { ...process.env, DATA_DIR } });
    expect(await set.exited).toBe(0);
    const channel = await newLiveChannel(killed);
    const before = await startClipPush(channel.publishUrl, clip);
    const { pathname } = new URL(channel.playlistUrl);
    const sizesOf = async (url: string) => (await variantsAt(url + pathname)).map((one) => one.url);
    const hasAll = async (url: string) => {
      const listed = await sizesOf(url);
      if (listed.length < 4) return false;
      const shown = await Promise.all(listed.map((one) => segmentsAt(one).catch(() => new Map())));
      return shown.every((segments) => [...segments.values()].some(({ isGap }) => !isGap));
    };
    await until(() => hasAll(killed.url), { ...soon, otherwise: 'not all sizes are shown' });
    const numbers = [...(await segmentsAt(killed.url + pathname.replace('live', 'source'))).keys()];
    const encoders = ladderPids(killed.pid);
    expect(encoders.length).toBe(1);
    await killed.kill();
    await before.over;
    await until(() => encoders.every((pid) => !existsSync(`/proc/${pid}`)), {
      ...soon,
      otherwise: 'its encoder is left running',
    });
    const service = await startProcess(settings, { token: killed.token });
    try {
      const again = await newPublishUrl(service, channel.id);
      const push = await startClipPush(again, clip);
      await until(() => hasAll(service.url), { ...soon, otherwise: 'not all sizes go on' });
      for (const url of await sizesOf(service.url))
        for (const number of (await segmentsAt(url)).keys())
          expect(number).toBeGreaterThan(Math.max(...numbers));
      await push.end();
      const variants = async () => (await videosOf(service, channel.id)).map((one) => one.m3u8_480);
      await until(
        async () => {
          const made = await variants();
          return made.length === 2 && made.every((one) => one !== '');
        },
        { withinMs: 90_000, otherwise: 'there are not two videos with their variants' },
      );
      // Of the one that was cut what was made live is not whole, so it was made anew.
      for (const variant of await variants())
        expect((await judgeVideo(variant)).problems).toEqual([]);
      // Of the other one the sound alone was whole.
      const [newest] = await videosOf(service, channel.id);
      const list = await variantsAt(`${newest?.m3u8}`.replace('index.m3u8', 'all.m3u8'));
      expect(list.map(({ url }) => url.split('/').at(-1))).toContain('sound.m3u8');
      const files = await readdir(join(DATA_DIR, 'recordings'), { recursive: true });
      expect(files.filter((name) => name.includes('.ladder.'))).toEqual([]);
    } finally {
      await service.stop();
    }
  },
  300_000,
);

/** The port is another one. */
async function newPublishUrl(
  service: Awaited<ReturnType<typeof startProcess>>,
  id: number,
): Promise<string> {
  const headers = { host: new URL(service.url).host };
  const { body } = await service.call('GET', `/v1/activities/${id}`, { headers });
  return (body as { rtmp_publish_addr: string }).rtmp_publish_addr;
}
