import { describe, expect, test } from 'bun:test';
import { PacketSource } from '../../../test/fixtures/media/synthetic.ts';
import { MemoryPool } from '../../base/bytes/memory.ts';
import type { Packet } from '../formats/packet.ts';
import { LastGop } from './live-stream.ts';

const megabyte = 1_048_576;

function shown(gop: LastGop): string {
  return gop.all.map(({ kind, dtsMs, isKey }) => label(kind, dtsMs, isKey)).join(' ');
}

function label(kind: Packet['kind'], dtsMs: number, isKey: boolean): string {
  if (kind === 'audio') return `a${dtsMs}`;
  return `${isKey ? 'K' : 'v'}${dtsMs}`;
}

describe('with pictures', () => {
  test('it begins with the last key frame and holds all that came since', () => {
    const gop = new LastGop(new MemoryPool());
    const source = new PacketSource();
    const packets = [
      source.sound(0),
      source.picture(10),
      source.picture(20, true),
      source.sound(30),
      source.picture(40),
      source.picture(60, true),
      source.sound(70),
    ];
    const seen = packets.map((packet) => {
      gop.push(packet, true);
      return shown(gop);
    });
    expect(seen).toEqual(['', '', 'K20', 'K20 a30', 'K20 a30 v40', 'K60', 'K60 a70']);
  });

  test('a group longer than 12 s is let go, and the next key frame begins anew', () => {
    const gop = new LastGop(new MemoryPool());
    const source = new PacketSource();
    gop.push(source.picture(0, true), true);
    for (let at = 1_000; at <= 12_000; at += 1_000) gop.push(source.picture(at), true);
    expect(gop.all).toHaveLength(13);
    gop.push(source.picture(12_001), true);
    expect(gop.all).toHaveLength(0);
    gop.push(source.sound(12_010), true);
    expect(gop.all).toHaveLength(0);
    gop.push(source.picture(60_000, true), true);
    expect(shown(gop)).toBe('K60000');
  });

  test('it never holds more than 16 MB, and counts anew after letting go', () => {
    const gop = new LastGop(new MemoryPool());
    const big = (dtsMs: number, isKey: boolean): Packet => ({
      kind: 'video',
      dtsMs,
      ptsMs: dtsMs,
      isKey,
      bytes: new Uint8Array(4 * megabyte),
    });
    for (const round of [0, 1]) {
      gop.push(big(round * 1_000, true), true);
      for (let n = 1; n < 4; n++) gop.push(big(round * 1_000 + n, false), true);
      expect(gop.all).toHaveLength(4);
      gop.push(new PacketSource().picture(round * 1_000 + 5), true);
      expect(gop.all).toHaveLength(0);
    }
  });
});

test('sound alone is held for half a second', () => {
  const gop = new LastGop(new MemoryPool());
  const source = new PacketSource();
  for (let at = 0; at < 10_000; at += 20) {
    gop.push(source.sound(at), false);
    const [first] = gop.all;
    expect(gop.all.at(-1)?.dtsMs).toBe(at);
    expect(at - (first?.dtsMs ?? 0)).toBeLessThanOrEqual(500);
  }
});

test('so many packets that they are no group of pictures are not kept, however small', () => {
  let heldBytes = 0;
  const set = (bytes: number) => {
    heldBytes = bytes;
  };
  const gop = new LastGop(new MemoryPool(), { set });
  const source = new PacketSource();
  gop.push(source.picture(0, true), true);
  for (let n = 1; n < 6_000; n++) gop.push(source.picture(0), true);
  expect(gop.all).toHaveLength(6_000);
  expect(heldBytes).toBe(6_000 * (8 + 256));
  gop.push(source.picture(0), true);
  expect(gop.all).toEqual([]);
  expect(heldBytes).toBe(0);
});

test('what was cleared is gone', () => {
  const gop = new LastGop(new MemoryPool());
  gop.push(new PacketSource().picture(0, true), true);
  gop.clear();
  expect(gop.all).toEqual([]);
});

test('a newcomer has copies: the publisher takes its bytes back, and the memory serves others', () => {
  const pool = new MemoryPool();
  const gop = new LastGop(pool);
  const picture = new PacketSource().picture(0, true);
  const bytes = new Uint8Array(picture.bytes);
  const sent = { ...picture, bytes: new Uint8Array(bytes) };
  gop.push(sent, true);
  sent.bytes.fill(0);
  const [got] = gop.all;
  gop.clear();
  const other = new LastGop(pool);
  other.push({ ...picture, bytes: new Uint8Array(bytes.length).fill(255) }, true);
  expect(got?.bytes).toEqual(bytes);
});
