// The sound of a stream alone, for lines that carry no picture: the source's own packets, and nothing to be encoded.
import { initSegment } from '../formats/fmp4-init.ts';
import type { AudioTrack } from '../formats/packet.ts';
import type { PushEnding } from '../live/stream-reader.ts';
import type { FragmentReader, Init, LentPart, Segment } from '../packaging/fragment.ts';
import { MirroredRung } from './mirrored-rung.ts';
import { type PartRuns, partOf, partReader } from './part-samples.ts';

export class SoundRung implements FragmentReader {
  private readonly rung: MirroredRung;

  private source: Init | undefined;
  private read: ((part: Uint8Array) => PartRuns) | undefined;
  private parts = 0;

  constructor(readers: readonly FragmentReader[]) {
    this.rung = new MirroredRung(readers);
  }

  partAdded(segment: Segment, part: LentPart): void {
    if (segment.init !== this.source) this.begin(segment.init);
    const { rung } = this;
    rung.expect(segment, part);
    const bytes = this.soundOf(part);
    const at = segment.parts.length - 1;
    if (bytes) rung.made({ sequence: segment.sequence, at, bytes, isIndependent: true });
    else rung.miss();
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
    if (sound) this.rung.decode({ bytes: initSegment([sound]), tracks: [sound] });
  }

  /** Undefined where there is none. */
  private soundOf({ bytes }: LentPart): Uint8Array<ArrayBuffer> | undefined {
    // Read within the call: what is made of it is a copy.
    const sounds = this.read?.(bytes as Uint8Array).sounds;
    this.parts += 1;
    return sounds && partOf([sounds], this.parts);
  }
}
