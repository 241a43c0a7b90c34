// What mediabunny holds of a file while it is read.
import { expect } from 'bun:test';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { EncodedPacketSink } from 'mediabunny';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { testWith } from '../../../test/support/needs.ts';
import { noFfmpeg } from '../../../test/support/recorded-clip.ts';
import { forgetPlaces, openMediaFile, packetsOf } from './media-file.ts';

testWith(
  noFfmpeg,
  'the places it notes of a transport stream are forgotten, and it reads on',
  async () => {
    const path = join(temporaryFolder(), 'show.ts');
    const ffmpeg = Bun.spawn([
      ...[
        'ffmpeg',
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        'testsrc2=size=640x360:rate=30',
        '-t',
        '20',
      ],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', path],
    ]);
    expect(await ffmpeg.exited).toBe(0);
    await using file = await open(path);
    const track = (await openMediaFile(file))?.pictures;
    if (!track) throw new Error('no pictures');
    let count = 0;
    for await (const _ of packetsOf(track)) count += 1;
    expect(count).toBe(600);
    // Fewer than the whole file has: they were forgotten on the way. Another version may keep them elsewhere.
    const sink = new EncodedPacketSink(track);
    const left = forgetPlaces(track);
    for (
      let packet = await sink.getFirstPacket();
      packet;
      packet = await sink.getNextPacket(packet)
    );
    const all = forgetPlaces(track);
    expect(all).toBeGreaterThan(10);
    expect(left).toBeLessThan(all / 2);
  },
);
