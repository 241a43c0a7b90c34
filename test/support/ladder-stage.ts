// A real service whose account shows its pushes in smaller sizes, and pushes that are large enough for two of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setAccount } from '../../src/library/access/account-store.ts';
import type { Clip } from '../../src/stream/rtmp/paced-push.ts';
import { testClip } from './clip-push.ts';
import { temporaryFolder } from './engines.ts';
import { type ListedSegment, readMediaPlaylist } from './media-playlist.ts';
import type { PlaylistPlayer } from './playlist-player.ts';
import { outside } from './recorded-clip.ts';
import type { TestService } from './service.ts';

/** Few pictures, and small ones, so that a busy machine encodes them in time; with B-frames, as most encoders send. */
export function ladderClip(size = '896x504'): Clip {
  const file = join(temporaryFolder(), 'ladder.flv');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=10:d=8`];
  const sound = ['-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=8'];
  const h264 = ['-c:v', 'libx264', '-preset', 'superfast', '-pix_fmt', 'yuv420p', '-g', '20'];
  const out = ['-c:a', 'aac', '-t', '8', '-f', 'flv', '-y', file];
  outside('ffmpeg', ['-v', 'error', ...picture, ...sound, ...h264, '-bf', '2', ...out]);
  return testClip(file);
}

export async function wantLadder(
  service: TestService,
  live_ladder: boolean,
  id = 1,
): Promise<void> {
  const unchanged = { name: undefined, plan: undefined, auto_save_live_video: undefined };
  await service.store.perform(setAccount, { id, ...unchanged, live_ladder });
}

/** What a player of one size found wrong. That it was told to wait is not: a busy machine begins late. */
export function problemsOf(player: PlaylistPlayer): string[] {
  return player.problems().filter((problem) => problem !== 'the playlist was answered 503');
}

export interface ListedVariant {
  attributes: Record<string, string>;
  url: string;
}

/** What a multivariant playlist lists. */
export async function variantsAt(url: string): Promise<ListedVariant[]> {
  const text = await (await fetch(url)).text();
  return [...text.matchAll(/^#EXT-X-STREAM-INF:(.*)\n(.*)$/gm)].map(([, list = '', uri = '']) => ({
    attributes: Object.fromEntries(
      [...list.matchAll(/([A-Z-]+)=("[^"]*"|[^",]*)/g)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll('"', ''),
      ]),
    ),
    url: new URL(uri, url).href,
  }));
}

/** The whole segments that a playlist of one size lists, by their numbers. */
export async function segmentsAt(url: string): Promise<Map<number, ListedSegment>> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} was answered ${response.status}`);
  const { segments } = readMediaPlaylist(await response.text());
  return new Map(segments.filter(({ uri }) => uri).map((one) => [one.sequence, one]));
}

/** Processes that encode rungs for this service: it runs in this process, or is `pid`. */
export function ladderPids(pid = process.pid): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const status = textOf(`/proc/${name}/stat`);
      const parent = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
      return parent === pid && textOf(`/proc/${name}/cmdline`).includes('ladder-worker');
    })
    .map(Number);
}

/** Nothing where the process has gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
