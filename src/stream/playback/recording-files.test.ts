// Recordings over HTTP as players fetch them, whole and damaged (fault 19).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { engines, temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets, packagedAt } from '../../../test/support/media.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { unavailable } from '../../base/api/errors.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { addVideos } from '../../library/videos/video-store.ts';
import { addMade, addRecording } from '../recording/recording-store.ts';
import { type StoredRecording, storedInFolder } from '../recording/stored-recording.ts';
import { BucketReaders } from './bucket-readers.ts';
import { recordingRefusals } from './playback-refusals.ts';
import { recordingFiles } from './recording-files.ts';

const [engine] = engines;
const original = join(temporaryFolder(), 'original');
let service: TestService;
let channelId = 0;
let count = 0;

beforeAll(async () => {
  if (!engine) throw new Error('no engine');
  service = await startTestService(engine);
  const { body } = await service.call('POST', '/v1/activities', { body: { name: 'channel' } });
  channelId = body.id;
  await recordPush(original, clipPackets(5));
});

afterAll(async () => {
  await service.stop();
});

/** A video of its own for each test, so that its files may be damaged. */
let video = { id: 0, folder: '', source: Buffer.alloc(0) };

beforeEach(async () => {
  const recording = `recording-${count++}`;
  const folder = join(service.settings['DATA_DIR'] ?? '', 'recordings', recording);
  cpSync(original, folder, { recursive: true });
  const id = await addRow(recording, statSync(join(folder, 'source.mp4')).size);
  video = { id: Number(id), folder, source: readFileSync(join(folder, 'source.mp4')) };
});

async function addRow(recording: string, video_size: number) {
  return await service.store.perform(addRecording, {
    show_at: null,
    show_ms: null,
    recording,
    channel_id: channelId,
    account_id: 1,
    startText: '',
    video_size,
    duration: 5,
    width: 640,
    height: 360,
    start_time: packagedAt,
    end_time: packagedAt + 5_000,
    sameAsSource: [],
    jobs: [],
    node: 'node',
    now: packagedAt,
  });
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The path goes out as it is written: `fetch` would tidy it. */
async function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  const { hostname, port } = new URL(service.url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({ hostname, port, path, headers, method }, (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('error', reject);
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(pieces),
      }),
    );
  });
  sent.on('error', reject);
  sent.end();
  return await promise;
}

const file = (name: string) => `/recordings/${video.id}/${name}`;

test('a row that names a folder elsewhere has no files', async () => {
  const bait = join(temporaryFolder(), 'bait');
  cpSync(video.folder, bait, { recursive: true });
  writeFileSync(join(bait, 'cover.jpg'), 'somebody’s');
  for (const recording of [bait, join('../../../../../../../../..', bait)]) {
    const id = await addRow(recording, video.source.length);
    for (const name of ['cover.jpg', 'source.mp4', 'index.m3u8'])
      expect((await get(`/recordings/${id}/${name}`)).status).toBe(410);
  }
});

describe('the media of a recording', () => {
  test.each(['source.mp4', 'video.mp4'])('is sent whole as %s', async (name) => {
    const { status, headers, body } = await get(file(name));
    expect(status).toBe(200);
    expect(Buffer.compare(body, video.source)).toBe(0);
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'content-length': String(video.source.length),
    });
  });

  test('is sent in ranges, each with its place in the whole', async () => {
    const size = video.source.length;
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=100-199', 100, 199],
      [`bytes=${size - 10}-`, size - 10, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=5-${size * 2}`, 5, size - 1],
    ];
    for (const [range, from, to] of ranges) {
      const { status, headers, body } = await get(file('source.mp4'), { range });
      expect([status, headers['content-range']]).toEqual([206, `bytes ${from}-${to}/${size}`]);
      expect(headers['content-length']).toBe(String(to - from + 1));
      expect(Buffer.compare(body, video.source.subarray(from, to + 1))).toBe(0);
    }
  });

  test('beyond its end is refused with its size', async () => {
    const { status, headers, body } = await get(file('source.mp4'), { range: 'bytes=99999999-' });
    expect([status, headers['content-range'], body.length]).toEqual([
      416,
      `bytes */${video.source.length}`,
      0,
    ]);
  });

  test('answers HEAD with what GET would say, and no bytes', async () => {
    for (const headers of [{}, { range: 'bytes=10-19' }] as Record<string, string>[]) {
      const whole = await get(file('source.mp4'), headers);
      const head = await get(file('source.mp4'), headers, 'HEAD');
      expect(head.body.length).toBe(0);
      expect(head.status).toBe(whole.status);
      for (const name of ['content-length', 'content-type', 'content-range', 'accept-ranges'])
        expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    }
  });

  test('is the progressive file once the video says so, not while that is being made', async () => {
    writeFileSync(join(video.folder, 'video.mp4'), 'progressive');
    const before = await get(file('video.mp4'));
    expect(before.body.length).toBe(video.source.length);
    const ofBefore = { range: 'bytes=2-4', 'if-range': String(before.headers['etag']) };
    expect((await get(file('video.mp4'), ofBefore)).status).toBe(206);
    await service.store.perform(addMade, { video_id: video.id, kind: 'mp4', size: 11 });
    expect((await get(file('video.mp4'))).body.toString()).toBe('progressive');
    expect((await get(file('source.mp4'))).body.length).toBe(video.source.length);
  });

  test('goes on as it was for who reads it in ranges, and has said so or was just here', async () => {
    const range = { range: 'bytes=2-4' };
    const { headers } = await get(file('video.mp4'), { range: 'bytes=0-0' });
    writeFileSync(join(video.folder, 'video.mp4'), 'progressive');
    await service.store.perform(addMade, { video_id: video.id, kind: 'mp4', size: 11 });
    const recorded = video.source.subarray(2, 5).toString();
    const made = 'progressive'.slice(2, 5);
    const asked = async (more: Record<string, string> = {}) =>
      (await get(file('video.mp4'), { ...range, ...more })).body.toString();
    expect(await asked()).toBe(recorded);
    service.clock.now += 9_000;
    expect(await asked()).toBe(recorded);
    // Whoever takes all of it has nothing to fit it to.
    const whole = await get(file('video.mp4'));
    expect(whole.body.toString()).toBe('progressive');
    expect(await asked({ 'if-range': String(whole.headers['etag']) })).toBe(made);
    service.clock.now += 9_000;
    expect(await asked()).toBe(recorded);
    service.clock.now += 11_000;
    expect(await asked()).toBe(made);
    expect(await asked({ 'if-range': String(headers['etag']) })).toBe(recorded);
    // Of a file that is no more, all of what there is instead (RFC 9110 13.1.5).
    expect(await asked({ 'if-range': '"another"' })).toBe('progressive');
  });

  test('is not sent again to who has it', async () => {
    const { headers } = await get(file('source.mp4'));
    const etag = String(headers['etag']);
    for (const known of [etag, `W/${etag}, "another"`, '*']) {
      const again = await get(file('source.mp4'), { 'if-none-match': known });
      expect([again.status, again.headers['etag'], again.body.length]).toEqual([304, etag, 0]);
    }
    expect((await get(file('source.mp4'), { 'if-none-match': '"another"' })).status).toBe(200);
  });

  test('with a cover has that too', async () => {
    expect((await get(file('cover.jpg'))).status).toBe(404);
    writeFileSync(join(video.folder, 'cover.jpg'), 'a picture');
    const { status, headers, body } = await get(file('cover.jpg'));
    expect([status, headers['content-type'], body.toString()]).toEqual([
      200,
      'image/jpeg',
      'a picture',
    ]);
  });
});

test('a recording without a storyboard has an empty one, and where it has one that', async () => {
  const read = async (name: string) => {
    const { status, headers, body } = await get(file(name));
    return [status, headers['content-type'], body.toString()];
  };
  const type = 'text/vtt; charset=utf-8';
  expect(await read('storyboard.vtt')).toEqual([200, type, 'WEBVTT\n']);
  expect((await get(file('storyboard0.jpg'))).status).toBe(404);
  writeFileSync(join(video.folder, 'storyboard.vtt'), 'WEBVTT\n\nmore');
  writeFileSync(join(video.folder, 'storyboard0.jpg'), 'pictures');
  expect(await read('storyboard.vtt')).toEqual([200, type, 'WEBVTT\n\nmore']);
  expect(await read('storyboard0.jpg')).toEqual([200, 'image/jpeg', 'pictures']);
  expect((await get(file('storyboard4.jpg'))).status).toBe(404);
});

describe('the playlist of a recording', () => {
  test('names ranges that are there, whose sum is the whole', async () => {
    const { status, headers, body } = await get(file('index.m3u8'));
    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.apple.mpegurl']);
    const ranges = [...body.toString().matchAll(/BYTERANGE[:=]"?(\d+)@(\d+)/g)];
    let end = 0;
    for (const [, size, at] of ranges) {
      expect(Number(at)).toBe(end);
      end += Number(size);
    }
    expect(end).toBe(video.source.length);
    expect(body.toString()).toContain('\nsource.mp4\n');
  });

  test('is compressed for who takes that', async () => {
    const plain = await get(file('index.m3u8'));
    const { headers, body } = await get(file('index.m3u8'), { 'accept-encoding': 'gzip' });
    expect([headers['content-encoding'], headers['vary']]).toEqual(['gzip', 'accept-encoding']);
    expect(Buffer.from(Bun.gunzipSync(new Uint8Array(body))).toString()).toBe(
      plain.body.toString(),
    );
    for (const refused of ['gzip;q=0', 'gzip; q=0.00, br', 'identity'])
      expect(
        (await get(file('index.m3u8'), { 'accept-encoding': refused })).headers['content-encoding'],
      ).toBeUndefined();
  });

  test('of a variant is there when the variant is', async () => {
    expect((await get(file('480.m3u8'))).status).toBe(404);
    for (const end of ['mp4', 'index'])
      cpSync(join(video.folder, `source.${end}`), join(video.folder, `480.${end}`));
    const { status, body } = await get(file('480.m3u8'));
    expect(status).toBe(200);
    expect(body.toString()).toContain('URI="480.mp4"');
    expect((await get(file('720.m3u8'))).status).toBe(404);
  });
});

describe('the list of all sizes of a recording', () => {
  const addresses = (text: string) => text.split('\n').filter((line) => /^[^#]/.test(line));

  test('has the source, and each variant once its job has said that it is whole', async () => {
    const before = await get(file('all.m3u8'));
    expect([before.status, before.headers['content-type']]).toEqual([
      200,
      'application/vnd.apple.mpegurl',
    ]);
    expect(addresses(before.body.toString())).toEqual(['index.m3u8']);
    expect(before.body.toString()).toMatch(
      /#EXT-X-STREAM-INF:BANDWIDTH=\d+,AVERAGE-BANDWIDTH=\d+,CODECS="avc1\.64001f,mp4a\.40\.2",RESOLUTION=640x360,FRAME-RATE=30\.000\nindex/,
    );
    for (const end of ['mp4', 'index'])
      cpSync(join(video.folder, `source.${end}`), join(video.folder, `480.${end}`));
    expect(addresses((await get(file('all.m3u8'))).body.toString())).toEqual(['index.m3u8']);
    await service.store.perform(addMade, { video_id: video.id, kind: '480', size: 1 });
    const after = (await get(file('all.m3u8'))).body.toString();
    expect(addresses(after)).toEqual(['index.m3u8', '480.m3u8']);
  });

  test('has what the ladder has left, the sound beside a black picture for who asks for that', async () => {
    for (const name of ['360', 'sound', 'still'])
      for (const end of ['mp4', 'index'])
        cpSync(join(video.folder, `source.${end}`), join(video.folder, `${name}.${end}`));
    const list = (await get(file('all.m3u8'))).body.toString();
    expect(addresses(list)).toEqual(['index.m3u8', '360.m3u8', 'sound.m3u8']);
    const withStill = (await get(`${file('all.m3u8')}?still=1`)).body.toString();
    const sizes = ['index.m3u8', '360.m3u8', 'sound.m3u8', 'still.m3u8'];
    expect(addresses(withStill)).toEqual(sizes);
    expect(withStill.match(/FRAME-RATE=30\.000/g)).toHaveLength(4);
    for (const name of sizes.slice(1)) {
      const { status, body } = await get(file(name));
      expect(status).toBe(200);
      expect(body.toString()).toContain(`URI="${name.replace('m3u8', 'mp4')}"`);
    }
    // Its index is there before its media is.
    rmSync(join(video.folder, 'sound.mp4'));
    expect(addresses((await get(file('all.m3u8'))).body.toString())).toEqual(sizes.slice(0, 2));
  });

  test('is there beside a node of the version before, which has it and looks for no size that it does not know', async () => {
    const here = storedInFolder(video.folder);
    const elsewhere: StoredRecording = {
      ...here,
      find: async (name) => {
        if (/^(360|sound|still)/.test(name)) throw unavailable('The other node refuses that');
        return await here.find(name);
      },
    };
    const log = startLog('silent');
    const refusals = new Refusals({ now: () => 0, log }).book('recording', recordingRefusals);
    const handle = recordingFiles({
      ...{ store: service.store, refusals, log, now: () => 0 },
      storage: { of: () => elsewhere, readsOthers: true },
      bucketReaders: new BucketReaders({ readersMax: 1, patienceMs: 1_000, refusals }),
    });
    const { status, body } = await handle({
      params: { id: String(video.id), file: 'all.m3u8' },
      query: () => '1',
      header: () => null,
      address: '192.0.2.1',
    });
    expect(status).toBe(200);
    expect(addresses(String(body))).toEqual(['index.m3u8']);
  });

  test('tells what the line must carry: no less than the average, no more than the dearest', async () => {
    const text = (await get(file('all.m3u8'))).body.toString();
    const [, peak, average] = /BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=(\d+)/.exec(text) ?? [];
    const playlist = (await get(file('index.m3u8'))).body.toString();
    const seconds = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].reduce(
      (sum, [, s]) => sum + Number(s),
      0,
    );
    // The rest is the header.
    expect(Number(average) / ((video.source.length * 8) / seconds)).toBeCloseTo(1, 1);
    expect(Number(peak)).toBeGreaterThanOrEqual(Number(average));
  });

  test('of media that cannot be read says what its index does', async () => {
    const bytes = readFileSync(join(video.folder, 'source.mp4'));
    writeFileSync(join(video.folder, 'source.mp4'), bytes.fill(0));
    const { status, body } = await get(file('all.m3u8'));
    expect(status).toBe(200);
    expect(body.toString()).toMatch(/AVERAGE-BANDWIDTH=\d+,RESOLUTION=640x360\nindex/);
  });

  test('leaves out a variant that is damaged, and is gone with the source', async () => {
    await service.store.perform(addMade, { video_id: video.id, kind: '720', size: 1 });
    writeFileSync(join(video.folder, '720.mp4'), 'x');
    writeFileSync(join(video.folder, '720.index'), 'nonsense\n');
    expect(addresses((await get(file('all.m3u8'))).body.toString())).toEqual(['index.m3u8']);
    rmSync(join(video.folder, 'source.mp4'));
    expect((await get(file('all.m3u8'))).status).toBe(404);
  });
});

describe('what is damaged', () => {
  const damages: [string, () => void, Record<string, number>][] = [
    [
      'an index of nonsense',
      () => writeFileSync(join(video.folder, 'source.index'), 'nonsense\n'),
      { 'index.m3u8': 410, 'source.mp4': 200 },
    ],
    [
      'an empty index',
      () => writeFileSync(join(video.folder, 'source.index'), ''),
      { 'index.m3u8': 410, 'source.mp4': 200 },
    ],
    [
      'no index',
      () => rmSync(join(video.folder, 'source.index')),
      { 'index.m3u8': 404, 'source.mp4': 200 },
    ],
    [
      'no media',
      () => rmSync(join(video.folder, 'source.mp4')),
      { 'index.m3u8': 404, 'source.mp4': 404, 'video.mp4': 404 },
    ],
    [
      'media that were cut',
      () => truncateSync(join(video.folder, 'source.mp4'), 5_000),
      { 'index.m3u8': 410 },
    ],
    [
      'media that are empty',
      () => truncateSync(join(video.folder, 'source.mp4'), 0),
      { 'index.m3u8': 410, 'source.mp4': 410 },
    ],
    [
      'a folder in place of its media',
      () => {
        rmSync(join(video.folder, 'source.mp4'));
        mkdirSync(join(video.folder, 'source.mp4'));
      },
      { 'index.m3u8': 410, 'source.mp4': 410 },
    ],
    [
      'no folder at all',
      () => rmSync(video.folder, { recursive: true }),
      { 'index.m3u8': 404, 'source.mp4': 404 },
    ],
  ];

  test.each(damages)('by %s answers 404 or 410 alone', async (_, damage, expected) => {
    const other = file('index.m3u8').replace(String(video.id), String(video.id - 1));
    damage();
    for (const [name, status] of Object.entries(expected)) {
      const answer = await get(file(name));
      expect([name, answer.status]).toEqual([name, status]);
      if (status === 200) continue;
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
      });
      expect(answer.body.toString()).not.toContain(video.folder);
    }
    expect((await get('/livez')).status).toBe(200);
    // Its neighbours may have been damaged by the tests before, but none is an error of ours.
    expect((await get(other)).status).toBeLessThan(500);
  });
});

describe('other names', () => {
  test.each([
    'recording.json',
    'source.index',
    'source.mp4.new',
    'nothing.mp4',
    'constructor',
    '__proto__',
    '.',
    '..',
    '',
    '%2e%2e',
    '..%2fsource.mp4',
    '..%2f..%2fnode-name',
    '..%2F..%2Fnode-name',
    '%2e%2e%2f%2e%2e%2fnode-name',
    '..%252f..%252fnode-name',
    '..%5c..%5cnode-name',
    '..\\..\\node-name',
    '....//node-name',
    '..%c0%af..%c0%afnode-name',
    '%ff',
    'source.mp4%00.jpg',
    'source.mp4%2f',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    '../../node-name',
  ])('such as %j lead to no file', async (name) => {
    const { status, body } = await get(file(name));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const secret = readFileSync(join(service.settings['DATA_DIR'] ?? '', 'node-name'), 'utf8');
    for (const leak of [secret.trim(), 'channel_id', 'root:', '"kind"'])
      expect(body.toString()).not.toContain(leak);
  });

  test.each(['0', '-1', '01', '1e1', 'x', '99999', '99999999999999999999', '1%2f1', '%00', '1.0'])(
    'of a video %j are not there',
    async (id) => {
      expect((await get(`/recordings/${id}/source.mp4`)).status).toBe(404);
    },
  );

  test('of a video that was not recorded here are not there', async () => {
    const imported = {
      channel_id: channelId,
      name: 'imported',
      external_id: 'elsewhere',
      video_url: '',
      video_size: 1,
      m3u8: '',
      m3u8_480: '',
      m3u8_720: '',
      m3u8_1080: '',
      duration: 1,
      width: 1,
      height: 1,
      cover_url: '',
      upload_time: null,
      start_time: null,
      end_time: null,
    };
    await service.store.perform(addVideos, { account_id: 1, videos: [imported] });
    const row = await service.store.one<{ id: number }>(
      "SELECT id FROM videos WHERE external_id = 'elsewhere'",
    );
    for (const name of ['source.mp4', 'video.mp4', 'index.m3u8'])
      expect((await get(`/recordings/${row?.id}/${name}`)).status).toBe(404);
  });
});
