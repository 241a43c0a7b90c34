// A smaller size of a stream that another node has, followed in the middle of a show.
import { afterAll, expect, test } from 'bun:test';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { startLog } from '../../base/lib/log.ts';
import type { Links } from '../../base/links/links.ts';
import { boundlessMemory, PushesMemory } from '../live/push-memory.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { LiveWindow } from '../playback/live-window.ts';
import { LiveWindows } from '../playback/live-windows.ts';
import { type FollowAsked, mediaTopic, rungStream } from './followed-media.ts';
import { FollowedRungs } from './followed-rungs.ts';
import { StreamFeeds } from './stream-feeds.ts';

const playId = 'play';
const partTargetMs = () => 220;
const store = await openTestStore(engines[0] as Engine);
afterAll(() => store.close());

test('it begins with all that its holder shows, and counts the breaks as the source does', async () => {
  const feeds = new StreamFeeds({ now: () => 0 });
  const newWindow = () => new LiveWindow({ partTargetMs, onEnded: () => {} });
  // The source as it was followed here, and the size as its holder has it.
  const [source, held] = [newWindow(), newWindow()];
  const feed = feeds.open(rungStream(playId, '360p'), { window: held, partTargetMs });
  const init = { sequence: 100, bytes: new Uint8Array(4), tracks: [] };
  for (let sequence = 100; sequence < 104; sequence += 1) {
    const startsAt = 2_000 * sequence;
    const isDiscontinuity = sequence === 102;
    const place = { sequence, init, isDiscontinuity, startsAt, startMs: startsAt };
    const segment = new GrowingSegment(place);
    const part = { bytes: new Uint8Array(4), durationMs: 200, isIndependent: true };
    segment.add(part);
    for (const reader of [source, held, feed]) reader.partAdded(segment, part);
    segment.complete();
    for (const reader of [source, held, feed]) reader.segmentEnded(segment);
  }
  const links: Pick<Links, 'follow' | 'node'> = {
    node: 'here',
    follow: (topic, _node, question, follower) =>
      feeds.follow(question as FollowAsked, {
        send: (media) => {
          follower.part(topic.answer.read(mediaTopic.answer.write(media)), false);
          return true;
        },
        end: () => follower.ended(),
      }),
  };
  const sound = { codec: 'mp4a.40.2' };
  const picture = { codec: 'avc1.64001f', width: 1280, height: 720, picturesPerSecond: 30 };
  const rung = { ...picture, width: 640, height: 360, name: '360p', bitsMax: 220_000 } as const;
  const rungs = new FollowedRungs(
    {
      ...{ links, store, log: startLog('silent'), playId, source, windows: new LiveWindows() },
      first: { channel_id: 1, account_id: 1, node: 'there' },
      memory: new PushesMemory(boundlessMemory).open(1),
      ...{ now: () => 0, monotonicMs: () => 0 },
    },
    { rungs: [rung], picture, sound },
  );
  await source.ladder?.find('360p', 1_000);
  const breaksOf = (window: LiveWindow | undefined) =>
    window?.listedSegments.map(({ sequence }) => sequence).join(' ') +
    ` behind ${/DISCONTINUITY-SEQUENCE:(\d+)/.exec(window?.playlist().text ?? '')?.[1] ?? 0}`;
  expect(breaksOf(source.ladder?.window('360p'))).toBe(breaksOf(source));
  rungs.stop();
});
