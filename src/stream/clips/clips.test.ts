// What a kill has left of a clip is nothing by the next start.
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engines, temporaryFolder } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { Zone } from '../../base/lib/time.ts';
import { startClips } from './clips.ts';

for (const engine of engines)
  test(`what was being made goes, recordings stay, on ${engine.name}`, async () => {
    const dataDir = temporaryFolder();
    const half = join(dataDir, 'clips', 'half');
    const whole = join(dataDir, 'recordings', 'whole');
    for (const folder of [half, whole]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'source.mp4'), 'bytes');
    }
    const store = await openTestStore(engine);
    const recordings = {
      growing: () => undefined,
      adopt: async () => undefined,
      hasRoom: () => true,
    };
    const clips = await startClips({
      dataDir,
      node: 'here',
      store,
      zone: new Zone('UTC'),
      freeBytesMin: 0,
      recordings,
      now: Date.now,
    });
    expect(readdirSync(join(dataDir, 'clips'))).toEqual([]);
    expect(existsSync(join(whole, 'source.mp4'))).toBe(true);
    const channel = { id: 1, account_id: 1, name: 'channel' };
    const asked = clips.make({ channel, of: { lastMs: 5_000 }, name: undefined });
    expect(await asked.catch((error) => error.kind)).toBe('notRecorded');
    await store.close();
  });
