// Reads a file to be pushed: FLV as it is, MP4 turned into FLV tags.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from 'mediabunny';
import { audioTrackOf } from '../stream/formats/aac.ts';
import { packetTagHeader, trackTag } from '../stream/formats/flv.ts';
import { type FlvTag, readFlvFile } from '../stream/formats/flv-file.ts';
import { videoTrackOf } from '../stream/formats/h264.ts';
import type { Packet, Track } from '../stream/formats/packet.ts';

const testClip = fileURLToPath(new URL('../../clip/clip.flv', import.meta.url));

/** The test clip where no file is named. */
export async function readClip(file: string | undefined): Promise<Iterable<FlvTag>> {
  const path = file ?? testClip;
  const mark = await Bun.file(path).slice(0, 3).text();
  return mark === 'FLV' ? readFlvFile(await readFile(path)) : await readMp4(path);
}

async function readMp4(path: string): Promise<FlvTag[]> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  if (!(await input.canRead())) throw new Error(`${path} is neither FLV nor MP4`);
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  const tags: FlvTag[] = [];
  for (const media of [video, audio]) {
    if (!media) continue;
    const config = await media.getDecoderConfig();
    const record = config?.description && bytesOf(config.description);
    if (media.codec !== (media.type === 'video' ? 'avc' : 'aac') || !record)
      throw new Error(
        `${path} holds ${media.codec ?? 'an unknown codec'}: H.264 and AAC can be pushed`,
      );
    const track = media.type === 'video' ? videoTrackOf(record) : audioTrackOf(record);
    tags.push({ type: track.kind, timestampMs: 0, body: trackTag(track) });
    tags.push(...(await packetTags(track, new EncodedPacketSink(media))));
  }
  if (tags.length === 0) throw new Error(`${path} holds no H.264 and no AAC`);
  return tags.sort((a, b) => a.timestampMs - b.timestampMs);
}

/** Packets come in decoding order with the time they are shown; the n-th is decoded at the n-th of these times. */
async function packetTags(track: Track, sink: EncodedPacketSink): Promise<FlvTag[]> {
  const packets = [];
  for await (const packet of sink.packets()) packets.push(packet);
  const shownMs = packets.map(({ timestamp }) => Math.round(timestamp * 1000));
  const decodedMs = shownMs.toSorted((a, b) => a - b);
  // Decoding comes first: the whole order moves back by the most that a picture is ahead of it.
  const leadMs = Math.max(0, ...decodedMs.map((ms, at) => ms - (shownMs[at] ?? 0)));
  return packets.map(({ data, type }, at) => {
    const dtsMs = decodedMs[at] ?? 0;
    const ptsMs = (shownMs[at] ?? 0) + leadMs;
    const packet: Packet = { kind: track.kind, dtsMs, ptsMs, isKey: type === 'key', bytes: data };
    const body = Buffer.concat([packetTagHeader(packet), data]);
    return { type: track.kind, timestampMs: dtsMs, body };
  });
}

function bytesOf(description: ArrayBufferView | ArrayBufferLike): Uint8Array {
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
}
