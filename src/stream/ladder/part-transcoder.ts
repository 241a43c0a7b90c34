// Parts of the source go in, and the same parts of each rung come out: as many, as long, with the same sound.
import type { Frame } from 'node-av/lib';
import { trackIdOf } from '../formats/fmp4-init.ts';
import type { Sample } from '../formats/fmp4-reader.ts';
import { sequencesOf, shapeOf } from '../formats/h264.ts';
import { MediaError, type Track, type VideoTrack } from '../formats/packet.ts';
import { type PartRuns, partOf, partReader, type Run } from '../formats/part-samples.ts';
import { checkShapes } from '../recording/worker/picture-check.ts';
import type { Transcoder } from '../recording/worker/transcoder.ts';
import type { FromProcess, PartPlace } from './ladder-messages.ts';
import { everyNthOf, type PictureRung, type PictureRungName } from './ladder-rungs.ts';
import { PictureOrder, type PicturePlace } from './picture-order.ts';
import { RungEncoder } from './rung-encoder.ts';
import { SourceDecoder } from './source-decoder.ts';

export interface LadderSource {
  readonly tracks: readonly Track[];
  readonly rungs: readonly PictureRung[];
  readonly picturesPerSecond: number;
}

export interface SourcePart extends PartPlace {
  /** Those that want it. */
  readonly rungs: readonly PictureRungName[];
  readonly bytes: Uint8Array;
}

type Tell = (words: FromProcess, bytes?: Uint8Array) => void;

/** A picture of the source, as a rung must have it. */
interface Wanted {
  readonly part: OpenPart;
  /** A rung has so many fewer pictures a second than the source. */
  readonly isKept: boolean;
  /** A segment begins with it. */
  readonly isFirst: boolean;
}

interface MadePicture {
  readonly dtsMs: number;
  readonly ptsMs: number;
  readonly isKey: boolean;
  readonly bytes: Uint8Array;
}

/** One that has not all of its pictures yet. */
interface OpenPart extends PartPlace {
  readonly endMs: number;
  readonly sounds: Run | undefined;
  readonly hasPictures: boolean;
  /** Pictures that may still come. */
  awaited: number;
  readonly made: ReadonlyMap<PictureRungName, MadePicture[]>;
}

export class PartTranscoder {
  private readonly av: Transcoder;
  private readonly tell: Tell;
  private readonly memoryBytesMax: number;

  private source: LadderSource | undefined;
  private read: ((part: Uint8Array) => PartRuns) | undefined;
  private decoder: SourceDecoder | undefined;
  private readonly encoders = new Map<PictureRungName, RungEncoder>();
  private order = new PictureOrder<Wanted>();
  private open: OpenPart[] = [];
  /** A segment has begun, and its first picture was lost. */
  private wantsKey = false;
  private parts = 0;

  constructor(av: Transcoder, { memoryBytesMax, tell }: { memoryBytesMax: number; tell: Tell }) {
    this.av = av;
    this.memoryBytesMax = memoryBytesMax;
    this.tell = tell;
  }

  /** What follows is decoded in another way than what was before. */
  async begin(source: LadderSource): Promise<void> {
    await this.finish();
    this.close();
    const video = source.tracks.find((track): track is VideoTrack => track.kind === 'video');
    if (!video) throw new MediaError('There is no picture');
    checkShapes(sequencesOf(video.record).map(shapeOf), this.memoryBytesMax);
    this.source = source;
    this.read = partReader(source.tracks);
    this.decoder = await SourceDecoder.open(this.av, video);
  }

  async take(part: SourcePart): Promise<void> {
    const { source, read, decoder } = this;
    if (!source || !read || !decoder) throw new Error('a part before its source');
    const { sequence, at, bytes } = part;
    const { pictures, sounds } = read(bytes);
    const samples = pictures?.samples ?? [];
    const beginMs = pictures?.baseTime ?? 0;
    const open: OpenPart = {
      ...{ sequence, at, sounds, hasPictures: samples.length > 0, awaited: samples.length },
      endMs: samples.reduce((ms, { duration }) => ms + duration, beginMs),
      made: new Map(part.rungs.map((name) => [name, []])),
    };
    this.open.push(open);
    const everyNth = everyNthOf(source.picturesPerSecond);
    let dtsMs = beginMs;
    let from = 0;
    for (const [i, { size, duration, compositionOffset, isKey }] of samples.entries()) {
      const ptsMs = dtsMs + compositionOffset;
      const wanted = { part: open, isKept: i % everyNth === 0, isFirst: at === 0 && i === 0 };
      this.order.came({ dtsMs, of: wanted }, { ptsMs, isKey });
      const coded = { bytes: (pictures as Run).bytes.subarray(from, from + size), dtsMs, ptsMs };
      for (const frame of decoder.decode(coded)) await this.shown(frame);
      dtsMs += duration;
      from += size;
    }
    this.tellWhole();
  }

  /** Nothing that waits is wanted; a segment begins with what follows. */
  rest(): void {
    this.decoder?.forget();
    this.order.clear();
    this.open = [];
  }

  /** All that has come is told. */
  async finish(): Promise<void> {
    for (const frame of this.decoder?.drain() ?? []) await this.shown(frame);
    this.lose(this.order.clear());
    this.tellWhole();
  }

  close(): void {
    this.decoder?.close();
    for (const encoder of this.encoders.values()) encoder.close();
    this.encoders.clear();
  }

  private async shown(frame: Frame): Promise<void> {
    const ptsMs = Number(frame.pts);
    const found = this.order.shown(ptsMs);
    if (!found) return;
    this.lose(found.lost);
    const { dtsMs, of } = found.place;
    const isKey = of.isFirst || this.wantsKey;
    if (of.isKept || isKey) {
      this.wantsKey = false;
      for (const [name, made] of of.part.made) {
        const encoder = this.encoders.get(name) ?? (await this.openEncoder(name, frame));
        const bytes = encoder.encode(frame, { ptsMs, isKey });
        made.push({ dtsMs, ptsMs: Math.max(dtsMs, ptsMs), isKey, bytes });
      }
    }
    of.part.awaited -= 1;
    this.tellWhole();
  }

  private async openEncoder(name: PictureRungName, like: Frame): Promise<RungEncoder> {
    const { av, source } = this;
    const rung = source?.rungs.find((one) => one.name === name);
    if (!source || !rung) throw new Error(`there is no rung ${name}`);
    const { picturesPerSecond } = source;
    const rate = picturesPerSecond / everyNthOf(picturesPerSecond);
    const encoder = await RungEncoder.open(av, rung, { like, picturesPerSecond: rate });
    this.encoders.set(name, encoder);
    this.tell({ kind: 'record', rung: name }, encoder.record);
    return encoder;
  }

  private lose(places: readonly PicturePlace<Wanted>[]): void {
    for (const { of } of places) {
      of.part.awaited -= 1;
      this.wantsKey ||= of.isFirst;
    }
  }

  private tellWhole(): void {
    for (let [part] = this.open; part?.awaited === 0; [part] = this.open) {
      this.open.shift();
      for (const [name, made] of part.made) this.tellPart(part, name, made);
    }
  }

  private tellPart(part: OpenPart, rung: PictureRungName, made: readonly MadePicture[]): void {
    const { sequence, at, sounds, endMs, hasPictures } = part;
    const pictures = made.length > 0 ? [pictureRun(made, endMs)] : [];
    const runs = [...pictures, ...(sounds ? [sounds] : [])];
    this.parts += 1;
    // Its pictures cannot be decoded, and there is no sound: nothing can be shown of it.
    const bytes = runs.length > 0 ? partOf(runs, this.parts) : undefined;
    const isIndependent = hasPictures && (made[0]?.isKey ?? false);
    this.tell({ kind: 'part', rung, sequence, at, isIndependent }, bytes);
  }
}

/** Each picture stands until the next, and the last until the end of the part. */
function pictureRun(made: readonly MadePicture[], endMs: number): Run {
  const samples = made.map(({ dtsMs, ptsMs, isKey, bytes }, i): Sample => {
    const duration = Math.max(1, (made[i + 1]?.dtsMs ?? endMs) - dtsMs);
    return { size: bytes.length, duration, compositionOffset: ptsMs - dtsMs, isKey };
  });
  return {
    trackId: trackIdOf({ kind: 'video' } as VideoTrack),
    baseTime: made[0]?.dtsMs ?? endMs,
    samples,
    bytes: Buffer.concat(made.map(({ bytes }) => bytes)),
  };
}
