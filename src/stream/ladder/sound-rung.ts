// The sound of a stream without its pictures, for lines that carry none: the source's own packets, and nothing to be encoded.
import { initSegment } from '../formats/fmp4-init.ts';
import type { AudioTrack } from '../formats/packet.ts';
import { type PartRuns, partOf, partReader, type Run } from '../formats/part-samples.ts';
import type { PushEnding } from '../live/stream-reader.ts';
import type { FragmentReader, Init, LentPart, Segment } from '../packaging/fragment.ts';
import { MirroredRung } from './mirrored-rung.ts';
import { stillTrack } from './still-picture.ts';

export class SoundRung implements FragmentReader {
  private readonly rung: MirroredRung;
  /** Makes the picture that stands beside it, where one does. */
  private readonly still: (() => Uint8Array) | undefined;

  private source: Init | undefined;
  private read: ((part: Uint8Array) => PartRuns) | undefined;
  private parts = 0;
  /** Of the segment's first picture, from decoding to showing. */
  private shownAfter = 0;

  constructor(readers: readonly FragmentReader[], still?: () => Uint8Array) {
    this.rung = new MirroredRung(readers);
    this.still = still;
  }

  partAdded(segment: Segment, part: LentPart): void {
    if (segment.init !== this.source) this.begin(segment.init);
    const { rung } = this;
    rung.expect(segment, part);
    const at = segment.parts.length - 1;
    // Read within the call: what is made of it is a copy.
    const { sounds, pictures } = this.read?.(part.bytes as Uint8Array) ?? {};
    if (at === 0) this.shownAfter = pictures?.samples[0]?.compositionOffset ?? 0;
    const stands = this.still && pictures ? [this.stands(pictures, this.still())] : [];
    const runs = sounds ? [...stands, sounds] : stands;
    if (runs.length === 0) {
      rung.miss();
      return;
    }
    this.parts += 1;
    const bytes = partOf(runs, this.parts);
    const isIndependent = !this.still || pictures !== undefined;
    rung.made({ sequence: segment.sequence, at, bytes, isIndependent });
  }

  segmentEnded(segment: Segment): void {
    this.rung.expectEnd(segment);
  }

  ended(how: PushEnding): void {
    this.rung.end(how);
  }

  private begin(source: Init): void {
    this.source = source;
    const sound = source.tracks.find((track): track is AudioTrack => track.kind === 'audio');
    this.read = sound && partReader(source.tracks);
    if (!sound) return;
    const tracks = this.still ? [stillTrack, sound] : [sound];
    this.rung.decode({ bytes: initSegment(tracks), tracks });
  }

  /** In the place of those pictures, for as long as they are shown. */
  private stands({ trackId, baseTime, samples }: Run, bytes: Uint8Array): Run {
    const duration = samples.reduce((sum, one) => sum + one.duration, 0);
    const { length: size } = bytes;
    const sample = { size, duration, isKey: true, compositionOffset: this.shownAfter };
    return { trackId, baseTime, samples: [sample], bytes };
  }
}
