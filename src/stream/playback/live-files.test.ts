import { afterEach, describe, expect, jest, test } from 'bun:test';
import { clipPackets, slowlyPackaged } from '../../../test/support/media.ts';
import { wholeSegment } from '../../../test/support/whole-segment.ts';
import type { MediaAnswer } from '../../base/api/media-answer.ts';
import { rawParameter } from '../../base/api/request.ts';
import type { FragmentReader, Part, Segment } from '../packaging/fragment.ts';
import { liveFiles } from './live-files.ts';
import { LiveWindow } from './live-window.ts';

/** A window in the middle of a stream, after so many parts: ten make a segment. */
function trial(parts = 14) {
  const window = new LiveWindow({ partTargetMs: () => 220, onEnded: () => {} });
  const segments: Segment[] = [];
  const collector: FragmentReader = {
    partAdded: (segment) => {
      if (segments.at(-1) !== segment) segments.push(segment);
    },
    segmentEnded: () => {},
    ended: () => {},
  };
  const { nextPart } = slowlyPackaged(clipPackets(5), collector, window);
  for (let n = 0; n < parts; n++) nextPart();
  const handle = liveFiles((playId) => (playId === 'play' ? window : undefined));
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const [file = '', query = ''] = path.split('?');
    return await handle({
      params: { playId: 'play', file },
      query: (name) => rawParameter(`?${query}`, name),
      header: (name) => headers[name] ?? null,
      address: '127.0.0.1',
    });
  };
  return { window, segments, handle, get, nextPart };
}

afterEach(() => {
  jest.useRealTimers();
});

const textOf = ({ body }: MediaAnswer) => (typeof body === 'string' ? body : '');

describe('the playlist', () => {
  test('is sent as such, to any origin, and asked for again each time', async () => {
    const { window, get } = trial();
    const answer = await get('live.m3u8');
    expect(answer).toEqual({
      status: 200,
      headers: {
        'content-type': 'application/vnd.apple.mpegurl',
        'cache-control': 'no-cache',
        'access-control-allow-origin': '*',
        vary: 'accept-encoding',
      },
      body: window.playlist().text,
    });
  });

  test.each([
    ['gzip', true],
    ['br, gzip;q=0.8, deflate', true],
    ['br', false],
    ['', false],
  ])('with Accept-Encoding %p is compressed: %p', async (accepted, isCompressed) => {
    const { window, get } = trial();
    const { headers, body } = await get('live.m3u8', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(isCompressed ? 'gzip' : (undefined as never));
    const text = body instanceof Uint8Array ? Buffer.from(Bun.gunzipSync(body)).toString() : body;
    expect(text).toBe(window.playlist().text);
  });

  test('that was waited for may be shared, and holds what was asked for', async () => {
    const { get, nextPart } = trial();
    const waiting = get('live.m3u8?_HLS_msn=101&_HLS_part=4');
    nextPart();
    const answer = await waiting;
    expect(textOf(answer)).toContain('URI="101.4.m4s"');
    expect(answer.headers['cache-control']).toBe('public, max-age=4');
  });

  test('of a whole segment comes when it is whole', async () => {
    const { get, nextPart } = trial();
    let isThere = false;
    const waiting = get('live.m3u8?_HLS_msn=101').finally(() => {
      isThere = true;
    });
    for (let n = 0; n < 5; n++) {
      nextPart();
      await Promise.resolve();
      expect(isThere).toBe(false);
    }
    nextPart();
    expect(textOf(await waiting)).toContain('\n101.m4s\n');
  });

  test('of what is there already comes at once', async () => {
    const { get } = trial();
    for (const query of ['_HLS_msn=100', '_HLS_msn=101&_HLS_part=3', '_HLS_msn=7&_HLS_part=99'])
      expect((await get(`live.m3u8?${query}`)).status).toBe(200);
  });

  test.each([
    '_HLS_part=1',
    '_HLS_msn=104',
    '_HLS_msn=104&_HLS_part=0',
    '_HLS_msn=999999999999999',
    '_HLS_msn=9999999999999999',
    '_HLS_msn=-1',
    '_HLS_msn=1.5',
    '_HLS_msn=abc',
    '_HLS_msn=101&_HLS_part=x',
    '_HLS_msn=101&_HLS_part=-1',
    '_HLS_msn=0x65',
  ])('asked for with %s is refused', async (query) => {
    const { get } = trial();
    const { status, headers } = await get(`live.m3u8?${query}`);
    expect(status).toBe(400);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
  });

  test('with parameters that are empty or not ours is the plain one', async () => {
    const { window, get } = trial();
    for (const query of ['_HLS_msn=', '_HLS_skip=YES', '_HLS_msn=&_HLS_part=', 'x=1']) {
      const answer = await get(`live.m3u8?${query}`);
      expect([answer.body, answer.headers['cache-control']]).toEqual([
        window.playlist().text,
        'no-cache',
      ]);
    }
  });

  test('that ended without what was asked for says so and is not shared', async () => {
    const { window, get } = trial();
    const waiting = get('live.m3u8?_HLS_msn=101&_HLS_part=9');
    window.ended('over');
    const answer = await waiting;
    expect(textOf(answer)).toContain('#EXT-X-ENDLIST');
    expect(answer.headers['cache-control']).toBe('no-cache');
  });

  test('waits no longer than 6 s, and what comes then is not shared', async () => {
    jest.useFakeTimers();
    const { get } = trial();
    const waiting = get('live.m3u8?_HLS_msn=101&_HLS_part=4');
    jest.advanceTimersByTime(5_999);
    expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits' as never);
    jest.advanceTimersByTime(1);
    const { status, headers } = await waiting;
    expect([status, headers['cache-control']]).toEqual([200, 'no-cache']);
  });

  test('of a channel that is not live is not there', async () => {
    const { handle } = trial();
    const call = { query: () => null, header: () => null, address: '' };
    for (const playId of ['', 'other', '../play', '__proto__'])
      expect(await handle({ ...call, params: { playId, file: 'live.m3u8' } })).toMatchObject({
        status: 404,
        headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
      });
    expect(await handle({ ...call, params: {} })).toMatchObject({ status: 404 });
  });

  test('is told of, and its parts are not', async () => {
    const { window } = trial();
    const asked: unknown[] = [];
    const handle = liveFiles(
      () => window,
      ({ params }) => asked.push(params['file']),
    );
    const call = { query: () => null, header: () => null, address: '' };
    for (const file of ['100.0.m4s', 'live.m3u8', 'init-1.mp4'])
      await handle({ ...call, params: { playId: 'play', file } });
    expect(asked).toEqual(['live.m3u8']);
  });

  test('names only what can be fetched', async () => {
    const { get } = trial();
    const text = textOf(await get('live.m3u8'));
    const named = [
      ...text.matchAll(/^[^#\n].*$/gm),
      ...[...text.matchAll(/(?:MAP|PART):.*?URI="([^"]+)"/g)].map(([, uri]) => [uri]),
    ].map(([name]) => name ?? '');
    expect(named).toContain('init-100.mp4');
    expect(named).toContain('100.m4s');
    expect(named).toContain('101.3.m4s');
    for (const name of named) expect(await get(name)).toMatchObject({ status: 200 });
  });
});

describe('a piece', () => {
  test('is sent as it is and may be kept', async () => {
    const { segments, get } = trial();
    const [first, second] = segments as [Segment, Segment];
    const pieces: [string, Uint8Array][] = [
      ['init-100.mp4', first.init.bytes],
      ['100.m4s', wholeSegment(first)],
      ['100.0.m4s', (first.parts[0] as Part).bytes],
      ['101.3.m4s', (second.parts[3] as Part).bytes],
    ];
    for (const [name, bytes] of pieces) {
      const { status, headers, body } = await get(name);
      expect(status).toBe(200);
      expect(Buffer.compare(await (body as Blob).bytes(), bytes)).toBe(0);
      expect(headers).toEqual({
        'content-type': 'video/mp4',
        'cache-control': 'public, max-age=3600, immutable',
        'access-control-allow-origin': '*',
      });
    }
  });

  test('that the playlist announces is waited for', async () => {
    const { window, get, nextPart } = trial();
    expect(window.playlist().text).toContain('PRELOAD-HINT:TYPE=PART,URI="101.4.m4s"');
    const waiting = get('101.4.m4s');
    nextPart();
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(await (body as Blob).bytes()).toEqual(window.segment(101)?.parts[4]?.bytes as never);
  });

  test.each([
    '101.m4s',
    '99.m4s',
    '102.m4s',
    '100.10.m4s',
    '99.0.m4s',
    '104.0.m4s',
    'init-101.mp4',
    'init-.mp4',
    '.m4s',
    '100.m4s.m4s',
    '100.0.0.m4s',
    '-1.m4s',
    '1e2.m4s',
    '0100.m4s.',
    '9999999999999999.m4s',
    'LIVE.M3U8',
    'live.m3u8/',
    '',
    '.',
    '..',
    '../live.m3u8',
    '..%2flive.m3u8',
    '..%252f100.m4s',
    '..\\100.m4s',
    '%2e%2e/100.m4s',
    '100.m4s\0',
    '100.m4s\n',
    '/etc/passwd',
    '__proto__',
    'constructor',
  ])('named %j is not there', async (name) => {
    const { get } = trial();
    expect(await get(name)).toMatchObject({
      status: 404,
      headers: { 'cache-control': 'no-store', 'access-control-allow-origin': '*' },
    });
  });
});
