// Our own clip as packets, and what the packager makes of packets, for tests of whatever comes after it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packet } from '../../src/stream/formats/packet.ts';
import type { FragmentReader, Segment } from '../../src/stream/packaging/fragment.ts';
import { Segmenter } from '../../src/stream/packaging/segmenter.ts';
import { type Clip, readClip } from '../fixtures/media/clip.ts';

/** Where the wall clock of `packaged` begins. */
export const packagedAt = Date.UTC(2026, 4, 4, 12);

/** `clip/clip.flv`, or its first seconds: 640x360 at 30 pictures a second, a key frame every 2 s, stereo sound. */
export function clipPackets(seconds = 20): Clip {
  const { tracks, packets } = readClip(readFileSync(join(import.meta.dir, '../../clip/clip.flv')));
  return { tracks, packets: packets.filter(({ dtsMs }) => dtsMs < seconds * 1000) };
}

export function soundOnly({ tracks, packets }: Clip): Clip {
  const isSound = ({ kind }: { kind: Packet['kind'] }) => kind === 'audio';
  return { tracks: tracks.filter(isSound), packets: packets.filter(isSound) };
}

/** The clip again, this much later. */
export function later({ tracks, packets }: Clip, ms: number): Clip {
  const moved = packets.map((one) => ({ ...one, dtsMs: one.dtsMs + ms, ptsMs: one.ptsMs + ms }));
  return { tracks, packets: moved };
}

/** Plays clips to a reader of fragments as one push; each after the first as if the push had been cut before it. */
export function packaged(clips: readonly Clip[], reader: FragmentReader): void {
  const { segmenter, push } = startSegmenter(reader);
  for (const [at, { tracks, packets }] of clips.entries()) {
    if (at > 0) segmenter.resumed();
    for (const track of tracks) segmenter.track(track);
    for (const packet of packets) push(packet);
  }
  segmenter.ended('over');
}

/** Plays a clip to readers of fragments part by part. */
export function slowlyPackaged({ tracks, packets }: Clip, ...readers: FragmentReader[]) {
  let parts = 0;
  const counter: FragmentReader = {
    partAdded: () => {
      parts += 1;
    },
    segmentEnded: () => {},
    ended: () => {},
  };
  const { segmenter, push } = startSegmenter(...readers, counter);
  for (const track of tracks) segmenter.track(track);
  const left = packets.values();
  return {
    /** Pushes packets until one more part is there; throws at the end of the clip. */
    nextPart: () => {
      const before = parts;
      while (parts === before) {
        const { value } = left.next();
        if (!value) throw new Error('the clip is over');
        push(value);
      }
    },
    end: () => segmenter.ended('over'),
  };
}

/** A packager whose wall clock follows the media. */
function startSegmenter(...readers: FragmentReader[]) {
  let latestMs = 0;
  const segmenter = new Segmenter({
    firstSequence: 100,
    now: () => packagedAt + latestMs,
    readers,
  });
  const push = (packet: Packet) => {
    latestMs = Math.max(latestMs, packet.dtsMs);
    segmenter.packet(packet);
  };
  return { segmenter, push };
}

/** The segments that a push of these clips becomes, all complete. */
export function segmentsOf(...clips: readonly Clip[]): Segment[] {
  const segments: Segment[] = [];
  packaged(clips, {
    partAdded: () => {},
    segmentEnded: (segment) => segments.push(segment),
    ended: () => {},
  });
  return segments;
}
