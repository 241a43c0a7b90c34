// Going back in a show that is on, as players ask for it; what they get is judged by ffprobe and ffmpeg.
import { describe, expect, test } from 'bun:test';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, engines, temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets, later } from '../../../test/support/media.ts';
import { judgeFile, noJudge } from '../../../test/support/media-judge.ts';
import { type MediaPlaylist, readMediaPlaylist } from '../../../test/support/media-playlist.ts';
import { testWith } from '../../../test/support/needs.ts';
import { PlaylistChecker } from '../../../test/support/playlist-checker.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { openTestStore } from '../../../test/support/store.ts';
import type { MediaAnswer } from '../../base/api/media-answer.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { recordingFolder, sourceFile, sourceIndex } from '../recording/recording-folder.ts';
import { recordingStorage } from '../recording/recording-storage.ts';
import { BucketReaders } from './bucket-readers.ts';
import { recordingRefusals } from './playback-refusals.ts';
import { showListFiles } from './show-list-files.ts';
import { ShowLists } from './show-lists.ts';
import { type HeldShow, ShowSources } from './show-sources.ts';

const playId = 'play';
/** Lists are looked at anew after a second. */
const nextLookMs = 1_000;

/** A show whose recordings grow as the test lets them. */
async function trial(...clips: Parameters<typeof recordPush>[1][]) {
  const dataDir = temporaryFolder();
  const store = await openTestStore(engines[0] as Engine);
  const storage = recordingStorage({ dataDir, bucket: undefined });
  const recordings: HeldShow['recordings'] = [];
  const begins = { channel_id: 1, account_id: 1, show_at: 1, pushed_ms: 0, stint: undefined };
  const show = { ...begins, recordings, node: 'here', isOver: false };
  let nowMs = 0;
  let isOn = true;
  const sources = new ShowSources({
    ...{ store, storage },
    held: (asked) => (isOn && asked === playId ? show : undefined),
  });
  const refusals = new Refusals({ now: () => 0, log: startLog('silent') });
  const book = refusals.book('recording', recordingRefusals);
  const handle = showListFiles({
    ...{ sources, lists: new ShowLists({ sources, monotonicMs: () => nowMs }) },
    bucketReaders: new BucketReaders({ readersMax: 1, patienceMs: 1_000, refusals: book }),
    log: startLog('silent'),
  });
  const get = async (file: string, headers: Record<string, string> = {}) =>
    await handle({
      params: { playId, file },
      query: () => null,
      header: (name) => headers[name] ?? null,
      address: '127.0.0.1',
    });
  /** Names of lists and pieces are the first's to say. */
  const listFile = async () => /^show-\w+\.m3u8$/m.exec(textOf(await get('show.m3u8')))?.[0] ?? '';
  const list = async (): Promise<MediaPlaylist> => {
    nowMs += nextLookMs;
    return readMediaPlaylist(textOf(await get(await listFile())));
  };
  const clip = await recordedClips(clips);
  /** Begins a recording that has all of the media and nothing of the index. */
  const begin = (recording: string) => {
    const folder = recordingFolder(dataDir, recording);
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(clip, sourceFile), join(folder, sourceFile));
    recordings.push({ recording, isWhole: false });
    const lines = readFileSync(join(clip, sourceIndex), 'utf8').split(/(?<=\n)/);
    return (count = lines.length) =>
      appendFileSync(join(folder, sourceIndex), lines.splice(0, count).join(''));
  };
  return {
    ...{ get, list, listFile, begin, show, recordings },
    passes: () => {
      nowMs += nextLookMs;
    },
    ends: () => {
      isOn = false;
    },
  };
}

async function recordedClips(clips: Parameters<typeof recordPush>[1][]): Promise<string> {
  const folder = join(temporaryFolder(), 'whole');
  await recordPush(folder, ...(clips.length > 0 ? clips : [clipPackets(20)]));
  return folder;
}

const textOf = (answer: MediaAnswer | undefined) =>
  typeof answer?.body === 'string' ? answer.body : '';

const secondsOf = ({ segments }: MediaPlaylist) =>
  segments.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;

describe('the list of a show', () => {
  test('is not there before a piece of it is', async () => {
    const { get, begin, passes } = await trial();
    expect((await get('show.m3u8'))?.status).toBe(404);
    const grow = begin('first');
    // An init and three segments of two seconds: whether more belongs to them the next one says.
    grow(4);
    passes();
    expect((await get('show.m3u8'))?.status).toBe(404);
    grow(1);
    passes();
    const first = await get('show.m3u8');
    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=2' } });
    expect(textOf(first)).toMatch(
      /^#EXTM3U\n#EXT-X-VERSION:7\n.*\n#EXT-X-STREAM-INF:BANDWIDTH=\d+,AVERAGE-BANDWIDTH=\d+,RESOLUTION=640x360\nshow-\w+\.m3u8\n$/,
    );
    // Where it ends, in the show's media and by the clock.
    expect(textOf(first)).toMatch(/DATA-ID="footlight.show-end",VALUE="6\d\d\d 17\d{11}"\n/);
  });

  test('grows by whole pieces, and never changes what it has said', async () => {
    const { get, listFile, begin, passes, recordings, show } = await trial();
    const grow = begin('first');
    const checker = new PlaylistChecker();
    const see = async () => {
      passes();
      return checker.see(textOf(await get(await listFile())));
    };
    grow(5);
    expect(await see()).toMatchObject({ isEnded: false, segments: { length: 1 } });
    // Half a line is being written.
    for (let n = 0; n < 3; n += 1) {
      grow(1);
      await see();
    }
    expect(checker.last?.segments).toHaveLength(2);
    grow();
    recordings[0] = { recording: 'first', isWhole: true };
    show.isOver = true;
    const last = await see();
    expect(last).toMatchObject({ isEnded: true, mediaSequence: 0 });
    expect(secondsOf(last as MediaPlaylist)).toBeCloseTo(20, 0);
    expect(checker.problems).toEqual([]);
  });

  test('goes on in the next recording of the show when the one before is whole', async () => {
    const { list, begin, recordings } = await trial();
    const [growFirst, growSecond] = [begin('first'), begin('second')];
    growFirst(9);
    growSecond();
    expect(secondsOf(await list())).toBeLessThan(20);
    growFirst();
    recordings[0] = { recording: 'first', isWhole: true };
    const { segments } = await list();
    expect(segments.map(({ discontinuity }) => discontinuity)).toContain(1);
    expect(new Set(segments.map(({ map }) => map)).size).toBe(2);
    expect(new Set(segments.map(({ uri }) => uri)).size).toBe(segments.length);
  });

  test('says where a push was cut', async () => {
    const { list, begin, recordings } = await trial(
      clipPackets(10),
      later(clipPackets(10), 15_000),
    );
    begin('first')();
    recordings[0] = { recording: 'first', isWhole: true };
    const { segments } = await list();
    expect(segments.map(({ discontinuity }) => discontinuity)).toEqual([0, 0, 1, 1]);
    const at = segments.map(({ startsAt }) => Date.parse(startsAt ?? ''));
    expect((at[2] ?? 0) - (at[0] ?? 0)).toBeCloseTo(15_000, -2);
  });

  test('is read once a second at most, however many ask, and compressed once', async () => {
    const { get, listFile, list, begin } = await trial();
    const grow = begin('first');
    grow(6);
    await list();
    const file = await listFile();
    grow();
    const asked = await Promise.all(Array.from({ length: 20 }, () => get(file)));
    expect(new Set(asked.map(textOf)).size).toBe(1);
    const [one, other] = await Promise.all(
      [1, 2].map(() => get(file, { 'accept-encoding': 'gzip' })),
    );
    expect(one?.headers['content-encoding']).toBe('gzip');
    expect(one?.body).toBe(other?.body as never);
    expect(Bun.gunzipSync(one?.body as Uint8Array<ArrayBuffer>).toString()).not.toBe(
      textOf(asked[0]),
    );
    expect(secondsOf(await list())).toBeGreaterThan(12);
  });
});

testWith(noJudge, 'its pieces are the show, from the first picture to the last', async () => {
  const { list, get, begin, recordings, show } = await trial();
  begin('first')();
  recordings[0] = { recording: 'first', isWhole: true };
  show.isOver = true;
  const { segments } = await list();
  const names = [segments[0]?.map, ...segments.map(({ uri }) => uri)];
  const bytes: Uint8Array[] = [];
  for (const name of names) {
    const answer = await get(name ?? '');
    expect(answer?.headers['cache-control']).toContain('immutable');
    if (answer?.body instanceof Blob) bytes.push(await answer.body.bytes());
  }
  const file = join(temporaryFolder(), 'show.mp4');
  writeFileSync(file, Buffer.concat(bytes));
  const server = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(file)) });
  const { durationMs, problems } = await judgeFile(server.url.href);
  await server.stop(true);
  expect(problems).toEqual([]);
  expect(bytes).toHaveLength(names.length);
  expect(durationMs).toBeCloseTo(20_000, -2);
});

test('names of another list, of no list and beyond the media are not there', async () => {
  const { get, listFile, begin, list, ends, recordings } = await trial();
  begin('first')();
  const [piece] = (await list()).segments;
  const source = /^show-(\w+)\./.exec(piece?.uri ?? '')?.[1] ?? '';
  expect((await get(piece?.uri ?? ''))?.status).toBe(200);
  for (const name of [
    'show-0.m3u8',
    'show-0.0.0.a.m4s',
    `show-${source}.${recordings.length}.0.a.m4s`,
    `show-${source}.0.zzzzzz.a.m4s`,
    `show-${source}.0.0.zzzzz.m4s`,
  ])
    expect(await get(name)).toMatchObject({ status: 404 });
  for (const name of [
    'live.m3u8',
    'show',
    'show-.m3u8',
    `show-${source}.0.0.0.m4s`,
    `show-${source}.0.0.zzzzzz.m4s`,
    `show-${source}.0.0.m4s`,
    `show-${source}.0.0.a.mp3`,
    `show-${source}.-1.0.a.m4s`,
    '../show.m3u8',
  ])
    expect(await get(name)).toBeUndefined();
  const file = await listFile();
  ends();
  for (const name of ['show.m3u8', file, piece?.uri ?? ''])
    expect((await get(name))?.status).toBe(404);
});

test('a recording that begins anew at its node is another list', async () => {
  const { listFile, begin, recordings, passes } = await trial();
  begin('first')();
  passes();
  const before = await listFile();
  recordings.splice(0);
  begin('second')();
  passes();
  expect(await listFile()).not.toBe(before);
});
