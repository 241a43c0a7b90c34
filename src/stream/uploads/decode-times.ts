// When each packet of a file is decoded: files tell when it is shown, and the order of decoding.
import { MediaError } from '../formats/packet.ts';
import { importLimits } from './import-limits.ts';
import type { FilePacket } from './media-file.ts';

export interface PlacedPacket {
  bytes: Uint8Array;
  dtsMs: number;
  ptsMs: number;
  durationMs: number;
}

const { reorderPackets, compositionMsMax, backMsMax, soundLeadMsMax } = importLimits;

/**
 * The n-th packet is decoded at the n-th of the times that packets are shown at. Decoding must come first, so the
 * whole order then moves back by the most that a picture is ahead of it. Both are known from as many packets as may
 * be reordered; no more are held. Sound that begins a little before the pictures would be lost before the first is
 * decoded, so that is decoded as early.
 */
export async function* pictureTimes(
  packets: AsyncIterable<FilePacket>,
  soundFromMs = Infinity,
): AsyncGenerator<PlacedPacket> {
  const waiting: FilePacket[] = [];
  /** When those that wait are shown, sorted. */
  const times: number[] = [];
  let leadMs: number | undefined;
  let last: PlacedPacket | undefined;
  const next = (packet: FilePacket): PlacedPacket => {
    leadMs ??= Math.max(leadOf(waiting, times), soundLeadMs((times[0] ?? 0) - soundFromMs));
    waiting.shift();
    const meantMs = (times.shift() ?? packet.shownMs) - leadMs;
    const placed = { ...packet, dtsMs: Math.max(meantMs, (last?.dtsMs ?? -Infinity) + 1) };
    return checked({ ...placed, ptsMs: packet.shownMs });
  };
  const take = function* (packet: FilePacket) {
    const placed = next(packet);
    if (last) yield { ...last, durationMs: placed.dtsMs - last.dtsMs };
    last = placed;
  };
  for await (const packet of packets) {
    waiting.push(packet);
    insert(times, packet.shownMs);
    const [first] = waiting;
    if (first && waiting.length > reorderPackets) yield* take(first);
  }
  for (let [first] = waiting; first; [first] = waiting) yield* take(first);
  if (last) yield { ...last, durationMs: Math.max(1, last.durationMs) };
}

/** Sound is shown in the order it is decoded. */
export async function* soundTimes(
  packets: AsyncIterable<FilePacket>,
): AsyncGenerator<PlacedPacket> {
  let lastMs = -Infinity;
  for await (const { shownMs, ...packet } of packets) {
    if (shownMs < lastMs - backMsMax) throw new MediaError('the times of its sound go back');
    lastMs = Math.max(lastMs, shownMs);
    yield { ...packet, dtsMs: shownMs, ptsMs: shownMs };
  }
}

/** All of them in the order of decoding. */
export async function* interleaved<P extends PlacedPacket>(
  streams: readonly AsyncGenerator<P>[],
): AsyncGenerator<P> {
  const heads = await Promise.all(streams.map(async (stream) => await nextOf(stream)));
  for (;;) {
    let first: Head<P> | undefined;
    for (const head of heads)
      if (head.packet && head.packet.dtsMs < (first?.packet?.dtsMs ?? Infinity)) first = head;
    if (!first?.packet) return;
    yield first.packet;
    first.packet = (await nextOf(first.stream)).packet;
  }
}

interface Head<P> {
  stream: AsyncGenerator<P>;
  packet: P | undefined;
}

async function nextOf<P>(stream: AsyncGenerator<P>): Promise<Head<P>> {
  const { value, done } = await stream.next();
  return { stream, packet: done ? undefined : value };
}

/** Of the last ones it is not known yet which come between them. */
function leadOf(waiting: readonly FilePacket[], times: readonly number[]): number {
  const known = waiting.length > reorderPackets ? reorderPackets / 2 : waiting.length;
  const leads = waiting.slice(0, known).map(({ shownMs }, at) => (times[at] ?? shownMs) - shownMs);
  return Math.max(0, ...leads);
}

function soundLeadMs(aheadMs: number): number {
  return aheadMs > 0 && aheadMs <= soundLeadMsMax ? aheadMs : 0;
}

function checked(packet: PlacedPacket): PlacedPacket {
  const compositionMs = packet.ptsMs - packet.dtsMs;
  if (compositionMs < -backMsMax || compositionMs > compositionMsMax)
    throw new MediaError('the times of its pictures go back');
  return packet;
}

function insert(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && (sorted[at - 1] ?? 0) > value) at -= 1;
  sorted.splice(at, 0, value);
}
