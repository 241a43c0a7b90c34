// The tracks of a media file that are H.264 and AAC, as the packager takes them.
import type { InputAudioTrack, InputVideoTrack } from 'mediabunny';
import { cleanPicture, videoTrackOf } from '../formats/h264.ts';
import { MediaError, OversizedPicture, type Packet, type Track } from '../formats/packet.ts';
import { type PlacedPacket, pictureTimes, soundTimes } from './decode-times.ts';
import { ImportError, type ImportProblem } from './import-problem.ts';
import { codecName, type MediaFile, packetsOf, readPictures, readSound } from './media-file.ts';

/** A packet on the timeline of the file. */
export type StreamPacket = PlacedPacket & { kind: Track['kind'] };

/** One track of the file, and how its packets become the packager's. */
export interface FileStream {
  track: Track;
  packets: AsyncGenerator<StreamPacket>;
  /** Undefined where nothing of it is left. */
  clean(bytes: Uint8Array): Cleaned | undefined;
}

export interface Cleaned extends Pick<Packet, 'isKey' | 'bytes'> {
  /** Where the parameters have changed. */
  track?: Track;
}

/** Makes H.264 and AAC of what is not. */
export interface Conversion {
  pictures(media: InputVideoTrack): Promise<FileStream>;
  sound(media: InputAudioTrack): Promise<FileStream>;
}

/** Without a conversion, what is no H.264 and AAC is refused. */
export async function streamsOf(
  { pictures, sound }: MediaFile,
  conversion?: Conversion,
): Promise<FileStream[]> {
  const streams: FileStream[] = [];
  const soundFrom = await sound?.getFirstTimestamp();
  const soundFromMs = soundFrom && Math.round(1_000 * soundFrom);
  if (pictures)
    streams.push(
      await picturesOf(pictures, soundFromMs).catch(
        orConverted(conversion && (() => conversion.pictures(pictures))),
      ),
    );
  if (sound)
    streams.push(
      await soundOf(sound).catch(orConverted(conversion && (() => conversion.sound(sound)))),
    );
  return streams;
}

function orConverted(
  convert: (() => Promise<FileStream>) | undefined,
): (error: unknown) => Promise<FileStream> {
  return async (error) => {
    if (convert && error instanceof ImportError && isConvertible(error.problem))
      return await convert();
    throw error;
  };
}

/** Whether a transcoder may help. */
export function isConvertible({ code }: ImportProblem): boolean {
  return code === 'codec' || code === 'unplayable';
}

async function picturesOf(
  media: InputVideoTrack,
  soundFromMs: number | undefined,
): Promise<FileStream> {
  if ((await media.getCodec()) !== 'avc')
    throw new ImportError({
      code: 'codec',
      of: 'picture',
      found: await codecName(media),
      wanted: 'H.264',
    });
  const { track: first, unpacked } = await playable('picture', readPictures(media));
  let track = first;
  return {
    track,
    packets: ofKind('video', pictureTimes(packetsOf(media), soundFromMs)),
    clean: (bytes) => {
      const picture = cleanPicture(unpacked(bytes), track);
      if (!picture) return undefined;
      const { record, isKey } = picture;
      if (record) track = { ...track, ...videoTrackOf(record) };
      return { isKey, bytes: picture.bytes as Uint8Array, ...(record && { track }) };
    },
  };
}

async function soundOf(media: InputAudioTrack): Promise<FileStream> {
  if ((await media.getCodec()) !== 'aac')
    throw new ImportError({
      code: 'codec',
      of: 'sound',
      found: await codecName(media),
      wanted: 'AAC',
    });
  const { track, unpacked } = await playable('sound', readSound(media));
  return {
    track,
    packets: ofKind('audio', soundTimes(packetsOf(media))),
    clean: (bytes) => ({ isKey: true, bytes: unpacked(bytes) }),
  };
}

/** What is wrong with the parameters is told as such: the file itself is whole. */
async function playable<T>(of: 'picture' | 'sound', reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof OversizedPicture) {
      const { width, height, sideMax: side } = error.size;
      throw new ImportError({ code: 'too_large', width, height, side });
    }
    if (error instanceof MediaError)
      throw new ImportError({ code: 'unplayable', of, detail: error.message });
    throw error;
  }
}

async function* ofKind(
  kind: Track['kind'],
  packets: AsyncGenerator<PlacedPacket>,
): AsyncGenerator<StreamPacket> {
  for await (const packet of packets) yield { ...packet, kind };
}
