// Requests for media that no player would make, each on a connection of its own, and crowds that wait for one part.
import { connect } from 'node:net';
import { patience } from '../../test/support/machine-pace.ts';
import type { Random } from '../../test/support/random.ts';

export interface HostileTarget {
  port: number;
  playId: string;
  videoId: number;
  /** Of the newest segment. */
  sequence: number;
}

/** A blocking request is answered after 6 s at the latest. */
const answeredWithinMs = 12_000;
const bytesKept = 4_096;

/** Its status, 0 where the connection was closed without one. Rejects on an answer that must not be. */
export async function throwRequest(target: HostileTarget, random: Random): Promise<number> {
  const text = requestText(target, random);
  const { status, head } = await exchange(target.port, text);
  const [line = ''] = text.split('\r\n');
  if (status >= 500) throw new Error(`${line} was answered ${status}`);
  if (/root:x:|SQLite format 3|"channel_id"/.test(head))
    throw new Error(`${line} gave a file away`);
  return status;
}

function requestText(target: HostileTarget, random: Random): string {
  const path =
    random.whole(0, 1) === 0 ? liveTarget(target, random) : recordedTarget(target, random);
  const method = random.pick([
    'GET',
    'GET',
    'GET',
    'HEAD',
    'POST',
    'OPTIONS',
    'DELETE',
    'PROPFIND',
  ]);
  const headers = [
    'host: localhost',
    'connection: close',
    ...(random.whole(0, 2) > 0 ? [`range: ${random.pick(ranges)}`] : []),
    ...(random.whole(0, 3) === 0 ? ['accept-encoding: gzip;q=0, *'] : []),
    ...(random.whole(0, 5) === 0 ? [`x-odd: ${'y'.repeat(random.whole(0, 10_000))}`] : []),
  ];
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
}

const ranges = [
  'bytes=0-',
  'bytes=-0',
  'bytes=-1',
  'bytes=5-2',
  'bytes=0-0,5-9',
  'bytes=999999999999-',
  'bytes=0-999999999999999999999999',
  'bytes=-999999999999999999999999',
  'bytes=a-b',
  'bytes=',
  'bytes=1',
  'bytes= 1 - 2 ',
  'lines=1-2',
  `bytes=${'1'.repeat(5_000)}-`,
  `bytes=${Array.from({ length: 500 }, (_, at) => `${at}-${at}`).join()}`,
];

/** Every way to write a step up that we know of. */
const stepsUp = [
  '../',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '..%252f',
  '..\\',
  '..%5c',
  '..%00/',
  '....//',
];
const goals = ['etc/passwd', 'footlight.db', 'node-name', 'recording.json', 'source.index'];

function stepUp(random: Random): string {
  return random.pick(stepsUp).repeat(random.whole(1, 6)) + random.pick(goals);
}

function liveTarget({ playId, sequence }: HostileTarget, random: Random): string {
  const odd = () =>
    random.pick([
      '-1',
      '0',
      '1e9',
      'NaN',
      '',
      '%20',
      '0x10',
      '١',
      '9'.repeat(30),
      '999999999999999',
      `${sequence}`,
      `${sequence + 1}`,
      `${sequence + 2}`,
      `${sequence + 3}`,
      `${sequence - 1}`,
      '%00',
      'a&b',
    ]);
  const file = random.pick([
    `live.m3u8?_HLS_msn=${odd()}&_HLS_part=${odd()}`,
    `live.m3u8?_HLS_msn=${odd()}`,
    `live.m3u8?_HLS_part=${odd()}`,
    `live.m3u8?_HLS_msn=${odd()}&_HLS_msn=${odd()}&_HLS_skip=YES`,
    `live.m3u8?${'a=b&'.repeat(1_000)}`,
    `${odd()}.m4s`,
    `${odd()}.${odd()}.m4s`,
    `init-${odd()}.mp4`,
    `${sequence}.0.m4s`,
    stepUp(random),
    encodeURIComponent('\u{1f600}'.repeat(100)),
  ]);
  return `/hls/${random.pick([playId, playId, playId.slice(1), '%', '..', stepUp(random)])}/${file}`;
}

function recordedTarget({ videoId }: HostileTarget, random: Random): string {
  const file = random.pick([
    'video.mp4',
    'source.mp4',
    'index.m3u8',
    'cover.jpg',
    '480.m3u8',
    'constructor',
    '__proto__',
    'source.index',
    stepUp(random),
  ]);
  const id = random.pick([
    `${videoId}`,
    `${videoId}`,
    '0',
    '-1',
    '1e3',
    '9'.repeat(40),
    '%31',
    stepUp(random),
  ]);
  return `/recordings/${id}/${file}`;
}

/** `onOpen` is told when it is connected, or will never be. */
async function exchange(
  port: number,
  text: string,
  onOpen: () => void = () => {},
): Promise<{ status: number; head: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port });
  const late = setTimeout(
    () => reject(new Error(`not answered: ${text.slice(0, 200)}`)),
    patience(answeredWithinMs),
  );
  let head = '';
  socket.on('data', (bytes: Buffer) => {
    if (head.length < bytesKept) head += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.once('connect', onOpen);
  socket.once('close', () => {
    onOpen();
    resolve();
  });
  socket.write(text);
  try {
    await promise;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head };
}

/** Opened a few at a time: more would overrun the server's backlog. */
const openedAtOnce = 100;

/** So many players ask at once for a segment that is far ahead: how many were answered with each status. */
export async function waitInCrowd(
  target: HostileTarget,
  count: number,
): Promise<Record<number, number>> {
  const { playId, sequence, port } = target;
  const path = `/hls/${playId}/live.m3u8?_HLS_msn=${sequence + 2}`;
  const text = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
  const answers: Promise<{ status: number }>[] = [];
  while (answers.length < count) {
    const some = Array.from({ length: openedAtOnce }, () => {
      const opened = Promise.withResolvers<void>();
      answers.push(exchange(port, text, opened.resolve));
      return opened.promise;
    });
    await Promise.all(some);
  }
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
