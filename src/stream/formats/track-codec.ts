// A track of an MP4 as packets have it, and what it is coded in, as playlists say it (RFC 6381).
import { audioTrackOf } from './aac.ts';
import { Fields, findBox } from './box-fields.ts';
import type { InitTrack } from './fmp4-reader.ts';
import { videoTrackOf } from './h264.ts';
import { MediaError, type Track } from './packet.ts';

/** Sample entries' own fields, before the boxes inside them (ISO 14496-12 12.1.3, 12.2.3). */
const entryBytes = { video: 86, audio: 36 } as const;

export function codecOf(track: InitTrack): string {
  return trackOf(track).codec;
}

/** Throws a MediaError for what we neither take nor make. */
export function trackOf({ kind, entry }: InitTrack): Track {
  const inside = entry.subarray(entryBytes[kind]);
  const record = kind === 'video' ? findBox(inside, 'avcC') : soundConfig(findBox(inside, 'esds'));
  if (!record) throw new MediaError(`A ${kind} track of the MP4 does not say its codec`);
  return kind === 'video' ? videoTrackOf(record) : audioTrackOf(record);
}

/** What `fmp4-init.ts` writes as a descriptor of its own (ISO 14496-1 7.2.6.5): the AudioSpecificConfig. */
function soundConfig(esds: Uint8Array | undefined): Uint8Array | undefined {
  if (!esds) return undefined;
  const fields = new Fields(esds).skip(4);
  descriptorSize(fields, 3);
  fields.skip(3);
  descriptorSize(fields, 4);
  fields.skip(13);
  return fields.take(descriptorSize(fields, 5));
}

function descriptorSize(fields: Fields, tag: number): number {
  if (fields.u8() !== tag) throw new MediaError('The sound of the MP4 is described in another way');
  let size = 0;
  for (let more = true; more; ) {
    const byte = fields.u8();
    size = (size << 7) | (byte & 0x7f);
    more = (byte & 0x80) !== 0;
  }
  return size;
}
