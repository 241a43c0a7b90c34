// The packets since the last key frame, at hand for whoever joins now.
import type { Packet } from '../media/packet.ts';

/** An encoder's default may be 10 s between key frames; beyond this a newcomer waits for the next one. */
const spanMsMax = 12_000;
const bytesMax = 16 * 1_048_576;
/** Without pictures there is no key frame to begin with: a newcomer gets this much sound. */
const soundMs = 500;

export class LastGop {
  private packets: Packet[] = [];
  private bytes = 0;

  push(packet: Packet, hasVideo: boolean): void {
    if (hasVideo ? packet.kind === 'video' && packet.isKey : this.spanMs(packet) > soundMs)
      this.clear();
    // Too long to be kept: nothing is, until the next key frame.
    if (hasVideo && this.packets.length === 0 && !(packet.kind === 'video' && packet.isKey)) return;
    this.packets.push(packet);
    this.bytes += packet.bytes.length;
    if (this.bytes > bytesMax || this.spanMs(packet) > spanMsMax) this.clear();
  }

  clear(): void {
    this.packets = [];
    this.bytes = 0;
  }

  get all(): readonly Packet[] {
    return this.packets;
  }

  private spanMs(packet: Packet): number {
    return packet.dtsMs - (this.packets[0]?.dtsMs ?? packet.dtsMs);
  }
}
