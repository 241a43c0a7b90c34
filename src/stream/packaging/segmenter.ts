// The packager: follows a stream and decides what its segments hold and where they begin.
import type { Lent } from '../../base/bytes/memory.ts';
import {
  type AudioTrack,
  isSameTrack,
  type LentPacket,
  type Track,
  type VideoTrack,
} from '../formats/packet.ts';
import { pushLimits } from '../live/push-limits.ts';
import { type HeldBytes, uncounted } from '../live/push-memory.ts';
import type { PushMeter } from '../live/push-meter.ts';
import type { PushEnding, StreamReader } from '../live/stream-reader.ts';
import { AudioClock } from './audio-clock.ts';
import type { FragmentReader } from './fragment.ts';
import { KeyFrameDistance } from './key-frame-distance.ts';
import { isPicture, SegmentWriter, type TimedSample, targetDurationMs } from './segment-writer.ts';
import { WaitingSamples } from './waiting-samples.ts';

export { targetDurationMs };

/** How much media of one kind may come before we stop waiting for the other. */
const startWaitMs = 1_000;

/** A track is gone when this much of the other came without it. */
const absenceMs = 1_500;

/** Sound this far ahead of the pictures is waited with; beyond it the pictures are slow. */
const pictureLagMs = 300;

/** The wall clock of the segments follows the real one when they differ by more. */
const driftMaxMs = 1_000;

export interface SegmenterOptions {
  /** Given everything in this order. */
  readonly readers: readonly FragmentReader[];
  /** The push's epoch second. */
  readonly firstSequence: number;
  /** By which this node has the push, and whether another has shown some of it. */
  readonly epoch?: number;
  readonly goesOn?: boolean;
  readonly now: () => number;
  readonly partTargetMs?: number;
  /** How far the times of sound may wander from its samples; a push's where it is not given. */
  readonly soundJitterMs?: number;
  /** Told of every segment, and counts what waits here. */
  readonly meter?: PushMeter;
  /** Told once a push: its key frames are so far apart that segments begin without one. */
  readonly onLongGop?: (distanceMs: number) => void;
}

export class Segmenter implements StreamReader {
  private readonly options: SegmenterOptions;

  private readonly writer: SegmentWriter;
  private readonly keyFrameDistance: KeyFrameDistance;
  private video: VideoTrack | undefined;
  private audio: AudioTrack | undefined;
  private clock: AudioClock | undefined;
  /** The packets that came before it was clear which tracks there are; undefined once it is. */
  private waiting: WaitingSamples | undefined;
  private readonly heldWaiting: HeldBytes;

  private lastMs = 0;
  private lastPictureMs = Number.NEGATIVE_INFINITY;
  private lastSoundMs = Number.NEGATIVE_INFINITY;
  /** How far the other kind had come when a packet of this kind last did. */
  private pictureSeenMs = Number.NEGATIVE_INFINITY;
  private soundSeenMs = Number.NEGATIVE_INFINITY;
  /** Wall time less timeline. */
  private anchorMs: number | undefined;

  constructor(options: SegmenterOptions) {
    this.options = options;
    const { meter } = options;
    this.heldWaiting = meter?.memory.holder() ?? uncounted;
    this.waiting = new WaitingSamples(this.heldWaiting);
    this.writer = new SegmentWriter({
      readers: options.readers,
      firstSequence: options.firstSequence,
      wallTime: (atMs) => this.wallTime(atMs),
      partWantedMs: options.partTargetMs ?? 200,
      onSegment: meter && ((startMs) => meter.segment(startMs)),
      held: meter?.memory.holder(),
      epoch: options.epoch,
      goesOn: options.goesOn,
    });
    this.keyFrameDistance = new KeyFrameDistance({
      wantedMs: targetDurationMs,
      onTooLong: (distanceMs) => options.onLongGop?.(distanceMs),
    });
  }

  /** EXT-X-PART-INF declares it: fixed when the first part is made. */
  get partTargetMs(): number {
    return this.writer.partTargetMs;
  }

  track(track: Track): void {
    if (track.kind === 'video') {
      this.video = track;
    } else if (!isSameTrack(this.audio, track)) {
      this.audio = track;
      const { soundJitterMs: toleranceMs } = this.options;
      this.clock = new AudioClock({ ...track, notBeforeMs: this.clock?.endMs ?? 0, toleranceMs });
    }
  }

  packet(packet: LentPacket): void {
    const sample = packet.kind === 'video' ? this.picture(packet) : this.sound(packet);
    if (!sample) return;
    this.lastMs = sample.atMs;
    this.anchorMs ??= this.options.now() - sample.atMs;
    if (this.waiting) this.wait(this.waiting, sample, packet.bytes);
    else this.take(sample, packet.bytes);
  }

  resumed(): void {
    this.flush();
    this.waiting = new WaitingSamples(this.heldWaiting);
    this.clock?.restart();
    this.pictureSeenMs = Number.NEGATIVE_INFINITY;
    this.soundSeenMs = Number.NEGATIVE_INFINITY;
    this.keyFrameDistance.interrupt();
  }

  ended(how: PushEnding): void {
    this.flush();
    this.writer.close();
    for (const reader of this.options.readers) reader.ended(how);
  }

  /** Stamps may repeat; players want every picture to last at least a tick, and to be shown at a time of its own. */
  private picture(packet: LentPacket): TimedSample | undefined {
    if (!this.video) return undefined;
    const atMs = Math.max(Math.round(packet.dtsMs), this.lastPictureMs + 1);
    const duration = knownDuration(packet, atMs);
    this.lastPictureMs = atMs;
    // One that stands for long is not absent.
    this.pictureSeenMs = Math.max(this.lastSoundMs, atMs + duration);
    return {
      track: this.video,
      atMs,
      time: atMs,
      duration,
      size: packet.bytes.length,
      isKey: packet.isKey,
      compositionOffset: Math.round(packet.ptsMs - packet.dtsMs),
    };
  }

  private sound(packet: LentPacket): TimedSample | undefined {
    const time = this.clock?.take(packet.dtsMs);
    if (!this.audio || time === undefined) return undefined;
    const atMs = (time * 1000) / this.audio.sampleRate;
    this.lastSoundMs = atMs;
    this.soundSeenMs = Math.max(this.lastPictureMs, atMs);
    return {
      track: this.audio,
      atMs,
      time,
      duration: this.audio.frameSamples,
      size: packet.bytes.length,
      isKey: true,
      compositionOffset: 0,
    };
  }

  private wait(waiting: WaitingSamples, sample: TimedSample, bytes: Lent): void {
    if (isPicture(sample) && !sample.isKey && !waiting.hasPicture) {
      // Pictures start with a key frame, and sound with the pictures.
      waiting.dropBefore(sample.atMs);
      return;
    }
    waiting.add(sample, bytes);
    const isEnough = waiting.spanMs >= startWaitMs || waiting.bytes >= pushLimits.startBytes;
    if (waiting.hasBoth || isEnough) this.start(waiting);
  }

  private start(waiting: WaitingSamples): void {
    const { kept } = waiting;
    const first = kept.find(({ sample }) => isPicture(sample)) ?? kept[0];
    this.waiting = undefined;
    if (first) {
      this.writer.begin(this.tracksFrom(first.sample), first.sample.atMs);
      for (const { sample, bytes } of kept) this.take(sample, bytes);
    }
    waiting.clear();
  }

  /** The tracks of what begins with this packet. */
  private tracksFrom({ track, atMs }: TimedSample): readonly Track[] {
    const isSoundHere = atMs - this.soundSeenMs <= absenceMs;
    return track.kind === 'video' && this.audio && isSoundHere ? [track, this.audio] : [track];
  }

  private take(sample: TimedSample, bytes: Lent): void {
    if (isPicture(sample)) this.takePicture(sample, bytes);
    else if (this.writer.track('video')) this.takeSoundBesidePictures(sample, bytes);
    else this.takeSoundAlone(sample, bytes);
  }

  private takePicture(picture: TimedSample, bytes: Lent): void {
    // It came back in the middle of a group of pictures.
    if (!this.writer.track('video') && !picture.isKey) return;
    this.keyFrameDistance.picture(picture);
    this.writer.settle(picture.atMs);
    if (picture.isKey) this.takeKeyFrame(picture);
    else this.writer.advance(picture.atMs);
    this.writer.add(picture, bytes);
  }

  private takeKeyFrame(picture: TimedSample): void {
    const tracks = this.tracksFrom(picture);
    if (!this.writer.hasExactly(tracks)) this.beginAnew(tracks, picture.atMs);
    else if (this.writer.isSegmentDue(picture.atMs)) this.writer.cut(picture.atMs);
    else this.writer.advance(picture.atMs);
  }

  private takeSoundBesidePictures(sound: TimedSample, bytes: Lent): void {
    if (sound.atMs - this.pictureSeenMs > absenceMs) {
      this.keyFrameDistance.interrupt();
      this.writer.finish();
      this.writer.begin([sound.track], sound.atMs);
    } else {
      this.writer.advanceWithoutPicture(sound.atMs - pictureLagMs);
    }
    this.writer.add(sound, bytes);
  }

  private takeSoundAlone(sound: TimedSample, bytes: Lent): void {
    if (this.writer.hasExactly([sound.track])) this.writer.advance(sound.atMs);
    else this.beginAnew([sound.track], sound.atMs);
    this.writer.add(sound, bytes);
  }

  private beginAnew(tracks: readonly Track[], atMs: number): void {
    this.writer.cut(atMs);
    this.writer.begin(tracks, atMs);
  }

  private flush(): void {
    if (this.waiting) this.start(this.waiting);
    this.writer.finish();
  }

  private wallTime(atMs: number): number {
    const seenMs = this.options.now() - this.lastMs;
    const anchorMs = this.anchorMs ?? seenMs;
    this.anchorMs = Math.abs(seenMs - anchorMs) > driftMaxMs ? seenMs : anchorMs;
    // Sound begins between milliseconds; dates do not.
    return Math.round(this.anchorMs + atMs);
  }
}

/** In whole milliseconds up to where the next begins; 0 where that is not known yet. */
function knownDuration({ dtsMs, durationMs }: LentPacket, atMs: number): number {
  return durationMs === undefined ? 0 : Math.max(1, Math.round(dtsMs + durationMs) - atMs);
}
