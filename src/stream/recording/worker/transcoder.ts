// FFmpeg as npm packages (node-av), which may not be installed: its binary is GPL, so it is optional.
import type * as api from 'node-av/api';
import type * as constants from 'node-av/constants';
import type * as lib from 'node-av/lib';
import type { Rotation } from '../../formats/packet.ts';

export type Transcoder = typeof api & typeof constants & typeof lib;

/** The transcoder is not there, or not for this machine. */
export class MissingTranscoder extends Error {
  constructor(cause: unknown) {
    super('the transcoder is not installed', { cause });
  }
}

export async function loadTranscoder(): Promise<Transcoder> {
  try {
    const av = {
      ...(await import('node-av/api')),
      ...(await import('node-av/constants')),
      ...(await import('node-av/lib')),
    };
    // Damaged pictures would be told one by one; what ends a job is thrown.
    av.Log.setLevel(av.AV_LOG_FATAL);
    return av;
  } catch (error) {
    throw new MissingTranscoder(error);
  }
}

/** Whether it is there, without loading it; whether it is for this machine shows when it is loaded. */
export function isTranscoderInstalled(): boolean {
  try {
    Bun.resolveSync('node-av/api', import.meta.dir);
    return true;
  } catch {
    return false;
  }
}

/** The filter that shows a picture upright, with the comma behind it; nothing where it is. */
export function turned(rotation: Rotation): string {
  return { 0: '', 90: 'transpose=clock,', 180: 'hflip,vflip,', 270: 'transpose=cclock,' }[rotation];
}

/** Packets of all streams in the order of the file. node-av's own way spins while its consumer encodes. */
export async function* packetsOf(
  av: Transcoder,
  input: api.Demuxer,
): AsyncGenerator<lib.Packet, void> {
  for (;;) {
    using packet = new av.Packet();
    packet.alloc();
    const result = await input.getFormatContext().readFrame(packet);
    if (result === av.AVERROR_EOF) return;
    if (result < 0)
      throw new Error(`The recording cannot be read: ${av.FFmpegError.strerror(result)}`);
    const stream = input.streams[packet.streamIndex];
    if (stream) packet.timeBase = stream.timeBase;
    yield packet;
  }
}
