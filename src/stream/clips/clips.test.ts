// Clips where a service was killed, where the recordings of a show lie at several, and what they take of an account's room.
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engines, temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets } from '../../../test/support/media.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { startLog } from '../../base/lib/log.ts';
import { Zone } from '../../base/lib/time.ts';
import { endLive, startLive } from '../live/live-store.ts';
import { recordingStorage } from '../recording/recording-storage.ts';
import { addRecording } from '../recording/recording-store.ts';
import { startRecordings } from '../recording/recordings.ts';
import { LiesElsewhere } from './clip-sources.ts';
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
      hasRoomFor: async () => true,
      counts: () => () => {},
    };
    const clips = await startClips({
      dataDir,
      storage: recordingStorage({ dataDir, bucket: undefined }),
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

for (const engine of engines)
  test(`a recording at another service matters where something of it is asked for, on ${engine.name}`, async () => {
    const store = await openTestStore(engine);
    const channel = { id: await newChannel(store), account_id: 1, name: 'channel' };
    const begin_at = 1_000_000;
    const row = { channel_id: channel.id, begin_at, end_at: null, media_ms: 0, anchors: '[]' };
    await store.perform(startLive, { node: 'here', startedAt: begin_at, show: row, now: 0 });
    await store.perform(endLive, { node: 'here', show: { ...row, end_at: begin_at + 60_000 } });
    for (const [node, show_ms] of [
      ['elsewhere', 0],
      ['here', 30_000],
    ] as const)
      await store.perform(addRecording, {
        recording: `at-${node}`,
        channel_id: channel.id,
        account_id: 1,
        show_at: begin_at,
        show_ms,
        startText: 'now',
        video_size: 1,
        duration: 20,
        width: 0,
        height: 0,
        start_time: 0,
        end_time: 0,
        sameAsSource: [],
        jobs: [],
        node,
        now: 0,
      });
    const dataDir = temporaryFolder();
    const clips = await startClips({
      dataDir,
      storage: recordingStorage({ dataDir, bucket: undefined }),
      node: 'here',
      store,
      zone: new Zone('UTC'),
      freeBytesMin: 0,
      recordings: {
        growing: () => undefined,
        adopt: async () => undefined,
        hasRoom: () => true,
        hasRoomFor: async () => true,
        counts: () => () => {},
      },
      now: Date.now,
    });
    const [show] = await store.all<{ id: number }>('SELECT id FROM shows');
    const problem = async (fromMs: number, toMs: number) =>
      await clips
        .make({ channel, of: { show: show?.id ?? 0, fromMs, toMs }, name: undefined })
        .catch((error) => (error instanceof LiesElsewhere ? `at ${error.node}` : error.message));
    // There are no files here: what is looked for is not found, which is another matter.
    expect(await problem(30_000, 40_000)).toBe('Nothing is recorded of that stretch');
    const scattered = 'The stretch lies at several services: cut it in parts';
    expect(await problem(19_000, 40_000)).toBe(scattered);
    expect(await problem(20_400, 40_000)).toBe(scattered);
    // That one can be asked for it.
    expect(await problem(0, 1_000)).toBe('at elsewhere');
    await store.close();
  });

for (const engine of engines)
  test(`an account cuts clips up to its bound, in the same moment too, on ${engine.name}`, async () => {
    const store = await openTestStore(engine);
    const dataDir = temporaryFolder();
    const whole = join(dataDir, 'recordings', 'whole');
    const id = await newChannel(store);
    await recordPush(whole, clipPackets(4));
    writeFileSync(
      join(whole, 'recording.json'),
      JSON.stringify({ channel_id: id, account_id: 1, name: 'whole' }),
    );
    const { size } = statSync(join(whole, 'source.mp4'));
    // Time stands still, so nobody looks again what the account has.
    const base = { dataDir, node: 'here', store, now: () => 1_000_000, freeBytesMin: 0 };
    const recordings = await startRecordings({
      ...base,
      zone: new Zone('UTC'),
      log: startLog('silent'),
      maxHours: 12,
      // Each counts twice, as it was cut and as MP4: the video and three clips.
      accountBytesMax: 2 * 4.5 * size,
      refusals: { note: () => {} },
      retentionDays: 0,
      onVideo: () => {},
    });
    const video = await recordings.adopt('whole');
    const clips = await startClips({
      ...base,
      storage: recordingStorage({ dataDir, bucket: undefined }),
      zone: new Zone('UTC'),
      recordings,
    });
    const channel = { id, account_id: 1, name: 'channel' };
    const of = { video_id: video?.video_id ?? 0, fromMs: 0, toMs: 60_000 };
    const cut = () =>
      clips.make({ channel, of, name: undefined }).then(
        () => 'made',
        (error) => error.kind,
      );
    const replies = await Promise.all(Array.from({ length: 8 }, cut));
    expect(replies.filter((one) => one === 'made')).toHaveLength(3);
    expect(new Set(replies)).toEqual(new Set(['made', 'noRoom']));
    expect(readdirSync(join(dataDir, 'recordings'))).toHaveLength(4);
    // What was refused takes nothing from a push.
    expect(recordings.hasRoom(1)).toBe(true);
    await recordings.stop();
    await store.close();
  });
