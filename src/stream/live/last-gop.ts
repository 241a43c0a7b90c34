// The packets since the last key frame, at hand for whoever joins now.
import { type MemoryPool, PooledBytes } from '../../base/bytes/pooled-bytes.ts';
import type { Packet } from '../formats/packet.ts';
import { pushLimits } from './push-limits.ts';
import { type HeldBytes, uncounted } from './push-memory.ts';

const { lastGopMs, lastGopBytes, lastGopPackets, packetBytes } = pushLimits;
/** Without pictures there is no key frame to begin with: a newcomer gets this much sound. */
const soundMs = 500;

/** A packet whose bytes stand between two places of the memory. */
interface Kept {
  readonly packet: Omit<Packet, 'bytes'>;
  readonly from: number;
  readonly to: number;
}

export class LastGop {
  private readonly memory: PooledBytes;
  private readonly held: HeldBytes;
  private kept: Kept[] = [];

  constructor(pool: MemoryPool, held = uncounted) {
    this.memory = new PooledBytes(pool);
    this.held = held;
  }

  push(packet: Packet, hasVideo: boolean): void {
    if (hasVideo ? packet.kind === 'video' && packet.isKey : this.spanMs(packet) > soundMs)
      this.clear();
    // Too long to be kept: nothing is, until the next key frame.
    if (hasVideo && this.kept.length === 0 && !(packet.kind === 'video' && packet.isKey)) return;
    this.keep(packet);
    if (this.isTooLong(packet)) this.clear();
    else this.held.set(this.memory.length + packetBytes * this.kept.length);
  }

  clear(): void {
    this.kept = [];
    this.memory.clear();
    this.held.set(0);
  }

  get bytes(): number {
    return this.memory.length;
  }

  /** Copies: they are the caller's. */
  get all(): readonly Packet[] {
    return this.kept.map(({ packet, from, to }) => ({
      ...packet,
      bytes: this.memory.copy(from, to),
    }));
  }

  private keep({ kind, dtsMs, ptsMs, isKey, bytes }: Packet): void {
    const from = this.memory.length;
    this.memory.append(bytes);
    this.kept.push({ packet: { kind, dtsMs, ptsMs, isKey }, from, to: this.memory.length });
  }

  private isTooLong(packet: Packet): boolean {
    if (this.memory.length > lastGopBytes || this.kept.length > lastGopPackets) return true;
    return this.spanMs(packet) > lastGopMs;
  }

  private spanMs(packet: Packet): number {
    return packet.dtsMs - (this.kept[0]?.packet.dtsMs ?? packet.dtsMs);
  }
}
