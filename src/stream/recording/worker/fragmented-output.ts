// A fragmented MP4 written by FFmpeg: pictures from an encoder, sound as it came, a fragment at each key frame.
import type { CodecContext, FormatContext, Frame, Packet, Stream } from 'node-av/lib';
import type { Transcoder } from './transcoder.ts';

const movflags = 'frag_keyframe+empty_moov+default_base_moof+skip_trailer';

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

  /** `sound` is a stream of the input. */
  static async open(
    av: Transcoder,
    path: string,
    { encoder, sound }: { encoder: CodecContext; sound: Stream | undefined },
  ): Promise<FragmentedOutput> {
    const { throwIfError } = av.FFmpegError;
    const format = new av.FormatContext();
    throwIfError(format.allocOutputContext2(null, 'mp4', path), 'The output cannot be made');
    const picture = format.newStream();
    throwIfError(picture.codecpar.fromContext(encoder), 'The encoder does not say what it makes');
    picture.timeBase = encoder.timeBase;
    const copied = sound && format.newStream();
    if (sound && copied) {
      throwIfError(sound.codecpar.copy(copied.codecpar), 'The sound cannot be copied');
      copied.timeBase = sound.timeBase;
    }
    throwIfError(await format.openOutput(), 'The output cannot be opened');
    using options = av.Dictionary.fromObject({ movflags });
    throwIfError(await format.writeHeader(options), 'The output cannot be begun');
    return new FragmentedOutput(av, {
      format,
      encoder,
      picture,
      ...(copied && { sound: copied }),
    });
  }

  /** Null ends them. */
  async writePicture(frame: Frame | null): Promise<void> {
    this.check(await this.encoder.sendFrame(frame), 'A picture cannot be encoded');
    for (;;) {
      using packet = new this.av.Packet();
      packet.alloc();
      const result = await this.encoder.receivePacket(packet);
      if (result === this.av.AVERROR_EAGAIN || result === this.av.AVERROR_EOF) return;
      this.check(result, 'A picture cannot be encoded');
      packet.timeBase = this.encoder.timeBase;
      await this.write(packet, this.picture);
    }
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
