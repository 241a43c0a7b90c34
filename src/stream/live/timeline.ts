// One rising timeline out of RTMP's timestamps: wraps, jumps and reconnects leave no mark on it.
import type { Packet } from '../formats/packet.ts';

type Kind = Packet['kind'];

/** Further ahead than this of everything before is a jump of the encoder's clock, not a late packet. */
const aheadMsMax = 5_000;
/** Further back than this within one track is a jump too; less is the disorder of a careless muxer. */
const backMsMax = 500;
/** The packet after a jump or a reconnect stands this long after the one before it. */
const joinMs = 40;
/**
 * Encoders reorder a few pictures: at one a second that is three or four seconds. A picture that is to be shown
 * further from where it is decoded would be out of reach of every player.
 */
const compositionMsMax = 5_000;

/**
 * Places 32-bit timestamps on a timeline of milliseconds that begins at 0. Where an encoder's clock jumps,
 * the packet after the jump follows the one before it. The tracks of a push jump one after the other, so each
 * goes on from its own last packet; where that is out of reach, from the other's, and else it has jumped.
 */
export class Timeline {
  private readonly anchors: Record<Kind, Anchor | undefined> = {
    video: undefined,
    audio: undefined,
  };
  private readonly lastMs: Record<Kind, number | undefined> = {
    video: undefined,
    audio: undefined,
  };
  private latestMs: number | undefined;
  /** Times that the encoder's clock has jumped, whichever of its tracks did so first. */
  jumps = 0;
  /** Packets that came with an earlier time than the one before of their kind. */
  backward = 0;

  /** Where a packet with this timestamp stands. */
  place(kind: Kind, timestamp: number): number {
    const { anchors, lastMs } = this;
    const meant =
      this.reached(kind, timestamp, anchors[kind]) ??
      this.reached(kind, timestamp, anchors[kind === 'video' ? 'audio' : 'video']) ??
      this.joined(kind);
    anchors[kind] = { timestamp, ms: meant };
    if (meant < (lastMs[kind] ?? 0)) this.backward += 1;
    const ms = Math.max(meant, lastMs[kind] ?? 0, 0);
    lastMs[kind] = ms;
    this.latestMs = Math.max(this.latestMs ?? 0, ms);
    return ms;
  }

  /** Another connection takes over: its timestamps have nothing to do with those before. */
  restart(): void {
    this.anchors.video = undefined;
    this.anchors.audio = undefined;
  }

  /** Where a packet stands that is out of reach of all before: the first, that of a new connection, or one after a jump. */
  private joined(kind: Kind): number {
    if (this.anchors[kind]) this.jumps += 1;
    return this.latestMs === undefined ? 0 : this.latestMs + joinMs;
  }

  /** Undefined where that is out of reach. */
  private reached(kind: Kind, timestamp: number, anchor: Anchor | undefined): number | undefined {
    if (!anchor) return undefined;
    const ms = msFrom(anchor, timestamp);
    const latest = this.latestMs ?? 0;
    const isInReach =
      ms <= latest + aheadMsMax && ms >= (this.lastMs[kind] ?? latest - aheadMsMax) - backMsMax;
    return isInReach ? ms : undefined;
  }
}

/** When a picture is shown; beyond reach, when it is decoded. */
export function shownAt(dtsMs: number, compositionMs: number): number {
  const isInReach = Math.abs(compositionMs) <= compositionMsMax;
  return Math.max(0, dtsMs + (isInReach ? compositionMs : 0));
}

/** A packet by which others are placed. */
interface Anchor {
  timestamp: number;
  ms: number;
}

/** 32 bits wrap after 49 days; the nearest value is meant. */
function msFrom(anchor: Anchor, timestamp: number): number {
  return anchor.ms + ((timestamp - anchor.timestamp) | 0);
}
