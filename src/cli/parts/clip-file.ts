// Reads a file to be pushed: FLV as it is, other videos turned into FLV tags.
import { open, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packetTagHeader, trackTag } from '../../stream/formats/flv.ts';
import { type FlvTag, readFlvFile } from '../../stream/formats/flv-file.ts';
import type { Packet } from '../../stream/formats/packet.ts';
import { interleaved } from '../../stream/uploads/decode-times.ts';
import { streamsOf } from '../../stream/uploads/file-streams.ts';
import { type MediaFile, openMediaFile } from '../../stream/uploads/media-file.ts';

export const testClip = fileURLToPath(new URL('../../../clip/clip.flv', import.meta.url));

/** The test clip where no file is named. */
export async function readClip(file: string | undefined): Promise<Iterable<FlvTag>> {
  const path = file ?? testClip;
  const mark = await Bun.file(path).slice(0, 3).text();
  return mark === 'FLV' ? readFlvFile(await readFile(path)) : await readVideo(path);
}

async function readVideo(path: string): Promise<FlvTag[]> {
  const file = await open(path);
  try {
    const media = await openMediaFile(file);
    if (!media) throw new Error(`${path} is neither FLV nor MP4, MOV, MKV, WebM or MPEG-TS`);
    const tags = await tagsOf(media);
    if (tags.length === 0) throw new Error(`${path} holds no H.264 and no AAC`);
    return tags;
  } finally {
    await file.close();
  }
}

async function tagsOf(media: MediaFile): Promise<FlvTag[]> {
  const streams = await streamsOf(media);
  const tags: FlvTag[] = streams.map(({ track }) => ({
    type: track.kind,
    timestampMs: 0,
    body: trackTag(track),
  }));
  let beginsMs: number | undefined;
  for await (const placed of interleaved(streams.map(({ packets }) => packets))) {
    const { kind, dtsMs, ptsMs } = placed;
    beginsMs ??= dtsMs;
    const timestampMs = dtsMs - beginsMs;
    const cleaned = streams.find(({ track }) => track.kind === kind)?.clean(placed.bytes);
    if (!cleaned) continue;
    const { track, isKey, bytes } = cleaned;
    if (track) tags.push({ type: kind, timestampMs, body: trackTag(track) });
    const packet: Packet = { kind, dtsMs, ptsMs, isKey, bytes };
    const body = Buffer.concat([packetTagHeader(packet), bytes]);
    tags.push({ type: kind, timestampMs, body });
  }
  return tags;
}
