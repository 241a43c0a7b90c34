import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/engines.ts';
import { indexLine } from '../recording/recording-index.ts';
import { RecordedPlaylists } from './recorded-playlists.ts';

const names = { index: 'source.index', file: 'source.mp4' };

test('many who ask at once wait for the same, and it is kept', async () => {
  const playlists = new RecordedPlaylists();
  const folder = recordingOf(3);
  const asked = await Promise.all([1, 2, 3].map(() => playlists.find(folder, names)));
  expect(new Set(asked).size).toBe(1);
  expect(asked[0]?.text.match(/#EXTINF/g)).toHaveLength(3);
  expect(await playlists.find(folder, names)).toBe(asked[0] as (typeof asked)[0]);
});

test('one that cannot be made keeps nobody else waiting, and is tried again', async () => {
  const playlists = new RecordedPlaylists();
  const damaged = recordingOf(2);
  const whole = recordingOf(2);
  writeFileSync(join(damaged, names.index), 'no index\n');
  const [first, second] = await Promise.allSettled([
    playlists.find(damaged, names),
    playlists.find(whole, names),
  ]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  writeFileSync(join(damaged, names.index), indexOf(1));
  expect((await playlists.find(damaged, names)).text).toContain('#EXTINF');
});

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
