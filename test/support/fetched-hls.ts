// Fetches a stream as a player would, and has ffprobe read it: what the rules of Safari are judged by.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './engines.ts';
import type {
  FetchedSegment,
  FetchedStream,
  FetchedVariant,
  ReadTrack,
} from './hls-requirements.ts';
import { type MediaPlaylist, readMediaPlaylist } from './media-playlist.ts';

interface ProbedStream {
  codec_type: 'video' | 'audio';
  codec_name: string;
  profile: string;
  level?: number;
  width?: number;
  height?: number;
  sample_rate?: string;
  channels?: number;
}

interface ProbedPacket {
  codec_type: 'video' | 'audio';
  pts_time: string;
  flags: string;
}

interface Probed {
  streams: ProbedStream[];
  packets: ProbedPacket[];
}

/** `segments`: so many of the newest whole ones of each variant are fetched. */
export async function fetchHls(url: string, { segments = 3 } = {}): Promise<FetchedStream> {
  const text = await textOf(url);
  const listed = [...text.matchAll(/^#EXT-X-STREAM-INF:(.*)\n(.*)$/gm)];
  const addresses = listed.map(([, list = '', uri = '']) => ({
    attributes: attributesOf(list),
    address: new URL(uri, url).href,
  }));
  const variants =
    listed.length > 0
      ? await Promise.all(addresses.map((one) => fetchVariant(one, segments)))
      : [await fetchVariant({ address: url }, segments)];
  return {
    isIndependent: /^#EXT-X-INDEPENDENT-SEGMENTS$/m.test(text),
    hasImageList: text.includes('#EXT-X-I-FRAME-STREAM-INF'),
    variants,
  };
}

async function fetchVariant(
  { address, attributes }: { address: string; attributes?: Record<string, string> },
  wanted: number,
): Promise<FetchedVariant> {
  const text = await textOf(address);
  const playlist = readMediaPlaylist(text);
  const pieces = piecesIn(text);
  const fetched = new Map<number, FetchedSegment>();
  // The last segment of a recording may have some pictures alone.
  let longest: { probed: Probed; init: Uint8Array } | undefined;
  const whole = playlist.segments.filter(({ uri, isGap }) => uri !== undefined && !isGap);
  for (const { sequence, map = '', parts } of whole.slice(-wanted)) {
    const [mapUri = '', mapRange] = map.split(' ');
    const init = await bytesOf(new URL(mapUri, address).href, mapRange);
    const piece = pieces[sequence - playlist.mediaSequence];
    if (!piece) throw new Error(`segment ${sequence} has no address`);
    const bytes = await bytesOf(new URL(piece.uri, address).href, piece.range);
    const probed = await probe(init, bytes);
    if (probed.packets.length > (longest?.probed.packets.length ?? 0)) longest = { probed, init };
    fetched.set(sequence, segmentOf(probed, { bytes: bytes.length, parts }));
  }
  return {
    name: nameOf(address),
    ...(attributes && { attributes }),
    playlist,
    tracks: longest ? tracksOf(longest.probed, longest.init) : [],
    segments: fetched,
    reports: [...text.matchAll(/^#EXT-X-RENDITION-REPORT:URI="([^"]+)"/gm)].map(([, uri = '']) =>
      nameOf(new URL(uri, address).href),
    ),
  };
}

function segmentOf(
  { packets }: Probed,
  { bytes, parts }: { bytes: number; parts: MediaPlaylist['segments'][number]['parts'] },
): FetchedSegment {
  const pictures = packets.filter(({ codec_type }) => codec_type === 'video');
  const sounds = packets.filter(({ codec_type }) => codec_type === 'audio');
  const firstShownMs = firstOf(pictures);
  const keyFramesAtMs = pictures.filter(({ flags }) => flags.includes('K')).map(shownMs);
  let beginsMs = firstShownMs;
  const partsBeginWithKey = parts.map(({ durationMs }) => {
    const isKey = keyFramesAtMs.some((at) => Math.abs(at - beginsMs) <= 1);
    beginsMs += durationMs;
    return isKey;
  });
  return {
    bytes,
    firstShownMs,
    firstHeardMs: firstOf(sounds),
    keyFramesAtMs,
    hasPictures: pictures.length > 0,
    partsBeginWithKey,
  };
}

function firstOf(packets: readonly ProbedPacket[]): number {
  return packets.length > 0 ? Math.min(...packets.map(shownMs)) : 0;
}

function shownMs({ pts_time }: ProbedPacket): number {
  return Math.round(Number(pts_time) * 1_000);
}

function tracksOf({ streams, packets }: Probed, init: Uint8Array): ReadTrack[] {
  return streams.map((stream) => {
    const {
      codec_type: kind,
      profile,
      level = 0,
      width = 0,
      height = 0,
      sample_rate = '0',
      channels = 0,
    } = stream;
    const times = packets.filter(({ codec_type }) => codec_type === kind).map(shownMs);
    const lastsMs = Math.max(...times) - Math.min(...times);
    return {
      kind,
      codec: kind === 'video' ? avcCodecOf(init) : profile === 'HE-AAC' ? 'mp4a.40.5' : 'mp4a.40.2',
      profile,
      level,
      width,
      height,
      picturesPerSecond: kind === 'video' ? ((times.length - 1) * 1_000) / lastsMs : 0,
      sampleRate: Number(sample_rate),
      channels,
    };
  });
}

/** Of the avcC box: behind its name and version are profile, constraints and level. */
function avcCodecOf(init: Uint8Array): string {
  const at = Buffer.from(init).indexOf('avcC') + 5;
  return `avc1.${Buffer.from(init.subarray(at, at + 3)).toString('hex')}`;
}

async function probe(init: Uint8Array, segment: Uint8Array): Promise<Probed> {
  const file = join(temporaryFolder(), `${crypto.randomUUID()}.mp4`);
  await writeFile(file, Buffer.concat([init, segment]));
  const entries =
    'stream=codec_type,codec_name,profile,level,width,height,sample_rate,channels:packet=codec_type,pts_time,flags';
  const words = ['ffprobe', '-v', 'error', '-show_entries', entries, '-of', 'json', file];
  const child = Bun.spawn(words, { stdin: 'ignore', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await rm(file);
  if (stderr !== '') throw new Error(`ffprobe says: ${stderr}`);
  return JSON.parse(stdout) as Probed;
}

/** The address of each whole segment, in their order, with the range where it is a piece of a file. */
function piecesIn(playlist: string): { uri: string; range: string | undefined }[] {
  const pieces = playlist.matchAll(
    /^#EXTINF:.*\n(?:#EXT-X-BYTERANGE:(.*)\n)?(?:#.*\n)*([^#\n].*)$/gm,
  );
  return [...pieces].map(([, range, uri = '']) => ({ uri, range }));
}

async function bytesOf(url: string, range?: string): Promise<Uint8Array> {
  const [, size, at] = /(\d+)@(\d+)/.exec(range ?? '') ?? [];
  const headers =
    size === undefined ? {} : { Range: `bytes=${at}-${Number(at) + Number(size) - 1}` };
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} was answered ${response.status}`);
  return await response.bytes();
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered ${response.status}`);
  return await response.text();
}

function nameOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1)?.replace('.m3u8', '') ?? '';
}

function attributesOf(list: string): Record<string, string> {
  const found = list.matchAll(/([A-Z-]+)=("[^"]*"|[^",]*)/g);
  return Object.fromEntries(
    [...found].map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]),
  );
}
