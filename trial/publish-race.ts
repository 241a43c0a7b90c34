// Fault 8: publishers with one key at the same instant; one wins, the others are refused with a sentence.
import { setAccount } from '../src/library/access/account-store.ts';
import { publishTo, type RtmpPublisher } from '../src/stream/rtmp/rtmp-client.ts';
import { letInWithinMs, testClip } from '../test/support/clip-push.ts';
import type { Engine } from '../test/support/engines.ts';
import { type LiveChannel, newLiveChannel, taken, until } from '../test/support/live-channel.ts';
import { patience } from '../test/support/machine-pace.ts';
import { seeded } from '../test/support/random.ts';
import { startTestService } from '../test/support/service.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

/** The first half second of the clip: more than a part. */
const burstMs = 500;
const liveWithinMs = 2_000;

export const trial: Trial = {
  sentence: 'two to ten publishers with one key at one instant: one wins, the others are told why',
  rounds: 200,
  run: (options) => onEachEngine(options, (engine) => raceRounds({ ...options, engine })),
};

export async function raceRounds({
  rounds,
  seed,
  engine,
}: RoundOptions & { engine: Engine }): Promise<Figures> {
  // Each round is a push, and all come from here.
  const settings = {
    PUSHES_PER_MINUTE: '10000',
    ACCOUNT_PUSHES_PER_MINUTE: '10000',
    RTMP_CONNECTS_PER_NETWORK: '10000',
  };
  const service = await startTestService(engine, { settings });
  const figures = { rounds: 0, publishers: 0, winners: 0, refused: 0 };
  try {
    // A thousand videos of half a second would only keep the disk busy.
    const change = { id: 1, name: undefined, plan: undefined, auto_save_live_video: false };
    await service.store.perform(setAccount, change);
    const channel = await newLiveChannel(service);
    for (let at = 0; at < rounds; at++) {
      const count = seeded(seed + at).pick([2, 2, 10]);
      await round('publish-race', seed + at, () => race(channel, count));
      figures.rounds += 1;
      figures.publishers += count;
      figures.winners += 1;
      figures.refused += count - 1;
    }
  } finally {
    await service.stop();
  }
  return figures;
}

async function race(channel: LiveChannel, count: number): Promise<void> {
  const tries = Array.from({ length: count }, () =>
    publishTo(channel.publishUrl, { timeoutMs: patience(letInWithinMs) }),
  );
  const settled = await Promise.allSettled(tries);
  const winners = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  try {
    const problems = reasons
      .filter((reason) => (reason as Error).message !== taken)
      .map((reason) => `a publisher was told: ${reason}`);
    if (winners.length !== 1) problems.push(`${winners.length} of ${count} won`);
    demand(problems);
    const [winner] = winners;
    if (winner) await checkHolds(channel, winner);
  } finally {
    for (const winner of winners) await winner.end();
  }
}

/** The winner's pictures arrive, and nobody has taken its place. */
async function checkHolds({ playlistUrl }: LiveChannel, winner: RtmpPublisher): Promise<void> {
  const address = `${playlistUrl}?low_latency`;
  const before = await (await fetch(address)).text();
  for (const tag of testClip().tags.filter(({ timestampMs }) => timestampMs < burstMs))
    winner.send(tag);
  await winner.drained();
  const isNew = async () => {
    const response = await fetch(address);
    const text = await response.text();
    return response.status === 200 && text !== before && !text.includes('EXT-X-ENDLIST');
  };
  await until(isNew, { withinMs: liveWithinMs, otherwise: 'the winner is not live' });
  const closed = await Promise.race([winner.closed, Promise.resolve(undefined)]);
  if (closed !== undefined) throw new Error(`the winner was closed: ${closed}`);
}
