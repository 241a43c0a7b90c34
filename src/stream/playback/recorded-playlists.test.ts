import { expect, test } from 'bun:test';
import { closeSync, constants, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { indexLine } from '../recording/recording-index.ts';
import { storedInFolder } from '../recording/stored-recording.ts';
import { recordingRefusals } from './playback-refusals.ts';
import { RecordedPlaylists } from './recorded-playlists.ts';

const viewer = { address: '192.0.2.1' };
const other = { address: '192.0.2.2' };
const names = { index: 'source.index', file: 'source.mp4' };

test('many who ask at once wait for the same, and it is kept', async () => {
  const { playlists } = start();
  const folder = recordingOf(3);
  const asked = await Promise.all(
    [1, 2, 3].map(() => playlists.find(storedInFolder(folder), names, viewer)),
  );
  expect(new Set(asked).size).toBe(1);
  expect(asked[0]?.text.match(/#EXTINF/g)).toHaveLength(3);
  expect(await playlists.find(storedInFolder(folder), names, viewer)).toBe(
    asked[0] as (typeof asked)[0],
  );
});

test('one that cannot be made keeps nobody else waiting, and is tried again', async () => {
  const { playlists } = start();
  const damaged = recordingOf(2);
  const whole = recordingOf(2);
  writeFileSync(join(damaged, names.index), 'no index\n');
  const [first, second] = await Promise.allSettled([
    playlists.find(storedInFolder(damaged), names, viewer),
    playlists.find(storedInFolder(whole), names, viewer),
  ]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  writeFileSync(join(damaged, names.index), indexOf(1));
  expect((await playlists.find(storedInFolder(damaged), names, viewer)).text).toContain('#EXTINF');
});

test('networks take turns, also for what another has asked for already', async () => {
  const { playlists } = start();
  const folders = Array.from({ length: 20 }, () => recordingOf(1));
  const order: string[] = [];
  const ask = async (name: string, folder: string, by: typeof viewer) => {
    await playlists.find(storedInFolder(folder), names, by);
    order.push(name);
  };
  const slow = slowRecording();
  const asked = [ask('slow', slow.folder, viewer)];
  await slow.begun();
  asked.push(...folders.map((folder, n) => ask(`loop ${n}`, folder, viewer)));
  await looked(...folders);
  const wanted = [recordingOf(1), folders[19] as string];
  asked.push(...wanted.map((folder, n) => ask(`honest ${n}`, folder, other)));
  await looked(...wanted);
  slow.goOn();
  await Promise.all(asked);
  // Each of its two comes after two of the other at the latest; the second is made for both.
  expect(order.indexOf('honest 0')).toBeLessThan(7);
  expect(order.indexOf('honest 1')).toBeLessThan(7);
  expect(order).toHaveLength(23);
});

test('beyond its share a network is refused, counted, and others are not', async () => {
  const { playlists, counts } = start();
  const folders = Array.from({ length: 300 }, () => recordingOf(1));
  const slow = slowRecording();
  const first = playlists.find(storedInFolder(slow.folder), names, viewer);
  await slow.begun();
  const loop = Promise.allSettled(
    folders.map((folder) => playlists.find(storedInFolder(folder), names, viewer)),
  );
  while (counts()?.['playlists_network'] !== 300 - 256) await nextTurn();
  const last = playlists.find(storedInFolder(recordingOf(1)), names, other);
  slow.goOn();
  const refused = (await loop).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(300 - 256);
  expect(refused[0]).toMatchObject({ reason: { status: 503 } });
  expect(counts()).toMatchObject({ playlists: 0, playlists_network: 300 - 256 });
  for (const made of [await first, await last]) expect(made.text).toContain('#EXTINF');
  // Nothing of them is left.
  expect((await playlists.find(storedInFolder(folders[299] ?? ''), names, viewer)).text).toContain(
    '#EXTINF',
  );
});

/** One whose index is read no sooner than it is told to go on. */
function slowRecording() {
  const folder = recordingOf(1);
  const index = join(folder, names.index);
  rmSync(index);
  Bun.spawnSync(['mkfifo', index]);
  let writer = -1;
  return {
    folder,
    /** Resolves when somebody reads it: until then it cannot be opened to be written without waiting. */
    begun: async () => {
      while (writer < 0) {
        await nextTurn();
        try {
          writer = openSync(index, constants.O_WRONLY | constants.O_NONBLOCK);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
        }
      }
    },
    goOn: () => {
      writeSync(writer, indexOf(1));
      closeSync(writer);
    },
  };
}

/** Resolves when what was asked for before has been looked for on the disk, and waits. */
async function looked(...folders: string[]): Promise<void> {
  for (let at = 0; at < 3; at += 1) {
    await Promise.all(folders.map((folder) => stat(join(folder, names.file))));
    await nextTurn();
  }
}

function start() {
  const refusals = new Refusals({ now: () => 0, log: startLog('silent') });
  const book = refusals.book('recording', recordingRefusals);
  const playlists = new RecordedPlaylists({ refusals: book });
  return { playlists, counts: () => refusals.counts.get('recording') };
}

/** The folder of a recording with so many segments of ten bytes. */
function recordingOf(segments: number): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, names.index), indexOf(segments));
  writeFileSync(join(folder, names.file), new Uint8Array(10 + 10 * segments));
  return folder;
}

function indexOf(segments: number): string {
  const init = indexLine({ kind: 'init', at: 0, size: 10, width: 640, height: 360 });
  const lines = Array.from({ length: segments }, (_, n) =>
    indexLine({
      kind: 'segment',
      at: 10 + 10 * n,
      size: 10,
      durationMs: 2_000,
      isIndependent: true,
      isDiscontinuity: false,
      startsAt: 1_000_000 + 2_000 * n,
    }),
  );
  return [init, ...lines].join('');
}
