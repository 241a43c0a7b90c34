// A fragmented MP4 written by FFmpeg: pictures from an encoder, sound as it came or from one, a fragment at each key frame.
import type { CodecContext, FormatContext, Frame, Packet, Stream } from 'node-av/lib';
import { encodedPackets } from './encoded-packets.ts';
import type { Transcoder } from './transcoder.ts';

const movflags = 'frag_keyframe+empty_moov+default_base_moof+skip_trailer';

/** A stream of the input as it is, or what is encoded. */
export type SoundOfOutput = { copied: Stream } | { encoder: CodecContext };

export class FragmentedOutput {
  private readonly av: Transcoder;
  private readonly format: FormatContext;
  private readonly encoder: CodecContext;
  private readonly picture: Stream;
  private readonly sound: Stream | undefined;

  /** By stream: when its next packet may be decoded. */
  private readonly nextDts = new Map<number, bigint>();

  private constructor(
    av: Transcoder,
    streams: { format: FormatContext; encoder: CodecContext; picture: Stream; sound?: Stream },
  ) {
    this.av = av;
    this.format = streams.format;
    this.encoder = streams.encoder;
    this.picture = streams.picture;
    this.sound = streams.sound;
  }

  static async open(
    av: Transcoder,
    path: string,
    { encoder, sound }: { encoder: CodecContext; sound: SoundOfOutput | undefined },
  ): Promise<FragmentedOutput> {
    const { throwIfError } = av.FFmpegError;
    const format = new av.FormatContext();
    throwIfError(format.allocOutputContext2(null, 'mp4', path), 'The output cannot be made');
    const encoded = (by: CodecContext) => {
      const stream = format.newStream();
      throwIfError(stream.codecpar.fromContext(by), 'The encoder does not say what it makes');
      stream.timeBase = by.timeBase;
      return stream;
    };
    const copied = (from: Stream) => {
      const stream = format.newStream();
      throwIfError(from.codecpar.copy(stream.codecpar), 'The sound cannot be copied');
      stream.timeBase = from.timeBase;
      return stream;
    };
    const picture = encoded(encoder);
    const heard = sound && ('copied' in sound ? copied(sound.copied) : encoded(sound.encoder));
    throwIfError(await format.openOutput(), 'The output cannot be opened');
    using options = av.Dictionary.fromObject({ movflags });
    throwIfError(await format.writeHeader(options), 'The output cannot be begun');
    return new FragmentedOutput(av, {
      format,
      encoder,
      picture,
      ...(heard && { sound: heard }),
    });
  }

  /** Null ends them. */
  async writePicture(frame: Frame | null): Promise<void> {
    for await (const packet of encodedPackets(this.av, this.encoder, frame))
      await this.write(packet, this.picture);
  }

  async writeSound(packet: Packet): Promise<void> {
    if (this.sound) await this.write(packet, this.sound);
  }

  async end(): Promise<void> {
    await this.writePicture(null);
    this.check(await this.format.writeTrailer(), 'The output cannot be ended');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.format[Symbol.asyncDispose]();
  }

  private async write(packet: Packet, stream: Stream): Promise<void> {
    packet.streamIndex = stream.index;
    packet.rescaleTs(packet.timeBase, stream.timeBase);
    this.placeAfterLast(packet);
    this.check(await this.format.interleavedWriteFrame(packet), 'The output cannot be written');
  }

  /** The muxer takes no packet with the time of the one before, and none that is shown before it is decoded. */
  private placeAfterLast(packet: Packet): void {
    const next = this.nextDts.get(packet.streamIndex);
    if (next !== undefined && packet.dts < next) packet.dts = next;
    if (packet.pts < packet.dts) packet.pts = packet.dts;
    this.nextDts.set(packet.streamIndex, packet.dts + 1n);
  }

  private check(result: number, what: string): void {
    this.av.FFmpegError.throwIfError(result, what);
  }
}
