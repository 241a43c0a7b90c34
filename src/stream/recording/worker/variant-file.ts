// A smaller variant as a file: the source's segments, each with other pictures at the source's times and the sound as it is there.
import { initSegment, timescaleOf, trackIdOf } from '../../formats/fmp4-init.ts';
import type { Sample, SampleRun } from '../../formats/fmp4-reader.ts';
import { videoTrackOf } from '../../formats/h264.ts';
import type { VideoTrack } from '../../formats/packet.ts';
import { partOf, type Run } from '../../formats/part-samples.ts';
import { trackOf } from '../../formats/track-codec.ts';
import { headerWindowBytes } from '../file-boxes.ts';
import { FileWindow } from '../file-window.ts';
import { indexText, type RecordedInit, type RecordedSegment } from '../recording-index.ts';
import { SequentialFile } from './output-file.ts';
import type { PicturePlace, PicturePlaces } from './picture-places.ts';
import { type Fragment, fragmentsIn, type Source } from './source-reader.ts';

export interface MadePicture extends PicturePlace {
  readonly isKey: boolean;
  readonly bytes: Uint8Array;
}

/** With its place in the order of decoding. */
interface TimedPicture extends MadePicture {
  readonly decodedMs: number;
  readonly durationMs: number;
}

export interface VariantFileOptions {
  source: Source;
  places: PicturePlaces;
  /** How its pictures are decoded: the AVCDecoderConfigurationRecord. */
  record: Uint8Array;
}

/** The sound of a part has some kilobytes. */
const soundWindowBytes = 65_536;

export class VariantFile {
  private readonly file: SequentialFile;
  private readonly source: Source;
  private readonly places: PicturePlaces;
  private readonly picture: VideoTrack;
  private readonly headers: FileWindow;
  private readonly sounds: FileWindow;

  /** The segment that is next, and its pictures so far. */
  private next = 0;
  private pictures: MadePicture[] = [];
  private parts = 0;
  /** That of the source which was last, and what stands here in its place. */
  private init: { source: RecordedInit; own: RecordedInit } | undefined;
  /** Until then all that was written is decoded. */
  private endMs = -Infinity;
  private readonly written: RecordedSegment[] = [];

  private constructor(file: SequentialFile, { source, places, record }: VariantFileOptions) {
    this.file = file;
    this.source = source;
    this.places = places;
    this.picture = videoTrackOf(record);
    this.headers = new FileWindow(source.file, headerWindowBytes);
    this.sounds = new FileWindow(source.file, soundWindowBytes);
  }

  static async create(path: string, options: VariantFileOptions): Promise<VariantFile> {
    return new VariantFile(await SequentialFile.create(path), options);
  }

  /** Pictures come in their order. */
  async add(picture: MadePicture): Promise<void> {
    while (this.next < picture.segment) await this.writeNext();
    this.pictures.push(picture);
  }

  /** Nothing follows. The index of the file. */
  async end(): Promise<string> {
    while (this.next < this.source.segments.length) await this.writeNext();
    return indexText(this.written);
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private async writeNext(): Promise<void> {
    const { source, file } = this;
    const of = source.segments[this.next] as RecordedSegment;
    const init = await this.initLike(of.init);
    const at = file.size;
    const fragments: Fragment[] = [];
    for await (const one of fragmentsIn(source, of, this.headers)) fragments.push(one);
    if (of.isDiscontinuity) this.endMs = -Infinity;
    const pictures = this.timed();
    const lastWithPictures = fragments.findLastIndex(({ runs }) => runs.some(isOfPictures));
    for (const [place, { runs }] of fragments.entries()) {
      const endMs = place === lastWithPictures ? Infinity : decodedMsOf(runs);
      const count = pictures.findIndex(({ decodedMs }) => decodedMs >= endMs);
      const own = pictures.splice(0, count < 0 ? pictures.length : count);
      await this.writePart(
        own,
        runs.filter((run) => !isOfPictures(run)),
      );
    }
    const size = file.size - at;
    // Where nothing can be decoded and nothing heard there is no segment.
    if (size > 0) this.written.push({ ...of, init, at, size });
    this.next += 1;
  }

  /** Wherever the source has one. */
  private async initLike(source: RecordedInit): Promise<RecordedInit> {
    if (this.init?.source === source) return this.init.own;
    const ofSource = this.source.tracksAt.get(source.at) ?? [];
    const tracks = ofSource.map((one) => (one.kind === 'video' ? this.picture : trackOf(one)));
    const bytes = initSegment(tracks);
    const { width, height } = tracks.includes(this.picture)
      ? this.picture
      : { width: 0, height: 0 };
    const own = { at: this.file.size, size: bytes.length, width, height };
    await this.file.write(bytes);
    this.init = { source, own };
    return own;
  }

  /** Each is decoded as long before it is shown as the source's first; none before the one before it. */
  private timed(): TimedPicture[] {
    const planned = this.places.picturesOf(this.next);
    const pictures = this.pictures.splice(0);
    if (!planned) return [];
    const leadMs = Math.round(planned.shownMs) - Math.round(planned.decodedMs);
    let lastMs = this.endMs - 1;
    const decoded = pictures.map(({ shownMs }) => {
      lastMs = Math.max(lastMs + 1, shownMs - leadMs);
      return lastMs;
    });
    this.endMs = Math.max(lastMs + 1, Math.round(planned.endMs));
    return pictures.map((one, at) => {
      const decodedMs = decoded[at] ?? 0;
      const durationMs = (decoded[at + 1] ?? this.endMs) - decodedMs;
      return { ...one, decodedMs, durationMs };
    });
  }

  private async writePart(pictures: readonly TimedPicture[], sounds: readonly SampleRun[]) {
    const runs: Run[] = pictures.length > 0 ? [this.runOfPictures(pictures)] : [];
    for (const run of sounds) runs.push(await this.runOfSound(run));
    if (runs.length === 0) return;
    this.parts += 1;
    await this.file.write(partOf(runs, this.parts));
  }

  private runOfPictures(pictures: readonly TimedPicture[]): Run {
    return {
      trackId: trackIdOf(this.picture),
      baseTime: pictures[0]?.decodedMs ?? 0,
      samples: pictures.map(({ bytes, durationMs, decodedMs, shownMs, isKey }) => ({
        size: bytes.length,
        duration: durationMs,
        compositionOffset: Math.max(0, shownMs - decodedMs),
        isKey,
      })),
      bytes: Buffer.concat(pictures.map(({ bytes }) => bytes)),
    };
  }

  private async runOfSound({ track, decodeTime, dataAt, samples }: SampleRun): Promise<Run> {
    const own = trackOf(track);
    const size = samples.reduce((sum, sample) => sum + sample.size, 0);
    const scaled = (ticks: number) => Math.round((ticks * timescaleOf(own)) / track.timescale);
    return {
      trackId: trackIdOf(own),
      baseTime: scaled(decodeTime),
      samples: samples.map((one): Sample => ({ ...one, duration: scaled(one.duration) })),
      bytes: Buffer.from(await this.sounds.bytes(dataAt, size)),
    };
  }
}

function isOfPictures({ track }: SampleRun): boolean {
  return track.kind === 'video';
}

/** When the pictures of a fragment are decoded; one without any has none. */
function decodedMsOf(runs: readonly SampleRun[]): number {
  const ends = runs.filter(isOfPictures).map(({ track, decodeTime, samples }) => {
    const ticks = samples.reduce((sum, { duration }) => sum + duration, decodeTime);
    return Math.round((ticks * 1_000) / track.timescale);
  });
  return Math.max(-Infinity, ...ends);
}
