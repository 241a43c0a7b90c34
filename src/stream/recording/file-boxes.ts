// Walks the boxes of a file, reading what describes the samples and skipping the samples.
import { type InitTrack, readInit } from '../formats/fmp4-reader.ts';
import { boxHeaderBytes, readBoxHeader } from '../formats/mp4-box.ts';
import { MediaError } from '../formats/packet.ts';
import type { FileWindow } from './file-window.ts';

export interface FileBox {
  type: string;
  at: number;
  size: number;
  /** The whole box where it describes samples, else nothing; good until the next. */
  bytes: Uint8Array;
}

/** A part of 200 ms needs 500 bytes. What is longer must not be read into memory to find out what it is. */
const headerBytesMax = 4 * 1_048_576;
/** Ours are of 1 KB. What is longer is no init, and must not be read into memory to find out. */
const initBytesMax = 1_048_576;
/** Enough for a header; the samples behind it are not wanted. */
export const headerWindowBytes = 16_384;

const nothing = new Uint8Array();

export async function* fileBoxes(
  window: FileWindow,
  range: { at: number; size: number },
): AsyncGenerator<FileBox> {
  const end = range.at + range.size;
  for (let at = range.at; at < end; ) {
    const { type, size } = readBoxHeader(await window.bytes(at, boxHeaderBytes));
    if (size > end - at) throw new MediaError(`A box ${type} of the recording is cut`);
    const isHeader = type === 'moov' || type === 'moof';
    if (isHeader && size > headerBytesMax)
      throw new MediaError(`The recording has a header of ${size} bytes`);
    yield { type, at, size, bytes: isHeader ? await window.bytes(at, size) : nothing };
    at += size;
  }
}

/** The tracks of an init that an index names. */
export async function readInitAt(
  window: FileWindow,
  { at, size }: { at: number; size: number },
): Promise<InitTrack[]> {
  if (size > initBytesMax) throw new MediaError(`The recording has an init of ${size} bytes`);
  // Copied, as the window's memory changes.
  return readInit(Buffer.from(await window.bytes(at, size)));
}
