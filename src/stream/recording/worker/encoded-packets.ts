// What an encoder of FFmpeg makes of a frame.
import type { CodecContext, Frame, Packet } from 'node-av/lib';
import type { Transcoder } from './transcoder.ts';

/** A frame that is null ends the encoder. A packet is there until the next is asked for. */
export async function* encodedPackets(
  av: Transcoder,
  encoder: CodecContext,
  frame: Frame | null,
): AsyncGenerator<Packet, void> {
  av.FFmpegError.throwIfError(await encoder.sendFrame(frame), 'It cannot be encoded');
  for (;;) {
    using packet = new av.Packet();
    packet.alloc();
    const result = await encoder.receivePacket(packet);
    if (result === av.AVERROR_EAGAIN || result === av.AVERROR_EOF) return;
    av.FFmpegError.throwIfError(result, 'It cannot be encoded');
    packet.timeBase = encoder.timeBase;
    yield packet;
  }
}
