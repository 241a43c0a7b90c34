// The packets since the last key frame, at hand for whoever joins now.
import { type MemoryPool, PooledBytes } from '../lib/pooled-bytes.ts';
import type { Packet } from '../media/packet.ts';

/** An encoder's default may be 10 s between key frames; beyond this a newcomer waits for the next one. */
const spanMsMax = 12_000;
const bytesMax = 16 * 1_048_576;
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
  private kept: Kept[] = [];

  constructor(pool: MemoryPool) {
    this.memory = new PooledBytes(pool);
  }

  push(packet: Packet, hasVideo: boolean): void {
    if (hasVideo ? packet.kind === 'video' && packet.isKey : this.spanMs(packet) > soundMs)
      this.clear();
    // Too long to be kept: nothing is, until the next key frame.
    if (hasVideo && this.kept.length === 0 && !(packet.kind === 'video' && packet.isKey)) return;
    this.keep(packet);
    if (this.memory.length > bytesMax || this.spanMs(packet) > spanMsMax) this.clear();
  }

  clear(): void {
    this.kept = [];
    this.memory.clear();
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

  private spanMs(packet: Packet): number {
    return packet.dtsMs - (this.kept[0]?.packet.dtsMs ?? packet.dtsMs);
  }
}
