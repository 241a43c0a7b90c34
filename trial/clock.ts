// Fault 13: the clock jumps while viewers watch and DST or midnight passes, or is set back in a restart; durations and the daily count hold.
import { Zone } from '../src/base/lib/time.ts';
import {
  type BeatingViewer,
  connectAll,
  newViewers,
  startBeats,
} from '../test/support/beating-viewers.ts';
import { startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { isLive, newLiveChannel, until } from '../test/support/live-channel.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  allOf,
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { MachineClock } from './support/machine-clock.ts';
import { passSetBack } from './support/set-back-restart.ts';

interface Moment {
  name: string;
  zone: string;
  at: number;
}

const moments: readonly Moment[] = [
  { name: 'midnight', zone: 'Asia/Shanghai', at: Date.UTC(2026, 4, 3, 16) },
  { name: 'a midnight that is skipped', zone: 'America/Sao_Paulo', at: Date.UTC(2018, 10, 4, 3) },
  { name: 'an hour that is skipped', zone: 'Europe/Berlin', at: Date.UTC(2026, 2, 29, 1) },
  { name: 'an hour that comes twice', zone: 'Europe/Berlin', at: Date.UTC(2025, 9, 26, 1) },
];

const hourMs = 3_600_000;
/** From the start of the service to the moment: it starts, goes live, and everybody comes. A busy machine gets more. */
const leadMsMin = 6_000;
const leadMsMax = 100_000;
/** Calls come so long before the moment and after it. */
const asideMs = 1_500;
/** The service tells whole seconds. */
const roundingMs = 1_000;
/** A busy machine may stop the service or us between the looks at the date and at the time that only passes. */
const clocksApartMs = 250;
/** More often than pages do, so that many beats see a jump. */
const beatMs = 1_000;
const jumpEveryMs = 500;
const viewerCount = 50;
const callsPerDay = 10;

export const trial: Trial = {
  sentence:
    'the clock jumps by hours while DST or midnight passes, or in a restart: durations right, calls counted',
  rounds: 5,
  run: clockRounds,
};

/** Each round passes every moment and a restart, all at once: most of it is waiting. */
export async function clockRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const figures = { moments: 0, restarts: 0, viewers: 0, jumps: 0, worst_short_ms: 0 };
  for (let at = 0; at < rounds; at++) {
    const passed = await round('clock', seed + at, () =>
      allOf([
        ...moments.map((moment) => passMoment(moment, seed + at)),
        passSetBack({ viewerCount, beatMs }),
      ]),
    );
    figures.moments += moments.length;
    figures.restarts += 1;
    for (const { jumps, shortMs } of passed) {
      figures.viewers += viewerCount;
      figures.jumps += jumps;
      figures.worst_short_ms = Math.max(figures.worst_short_ms, shortMs);
    }
    say(`${at + 1} rounds, ${figures.jumps} jumps`);
  }
  return figures;
}

/** Not everybody was there when the moment came: nothing was learned. */
class TooLate extends Error {}

async function passMoment(moment: Moment, seed: number) {
  for (let leadMs = leadMsMin; ; leadMs *= 2) {
    try {
      return await passMomentAfter(leadMs, moment, seed);
    } catch (error) {
      if (!(error instanceof TooLate) || leadMs > leadMsMax) throw error;
    }
  }
}

async function passMomentAfter(leadMs: number, moment: Moment, seed: number) {
  const folder = temporaryFolder();
  const settings = { DATA_DIR: folder, DATABASE_URL: '', MIN_FREE_DISK: '10M', LOG_LEVEL: 'warn' };
  const clock = new MachineClock(folder);
  const momentAt = performance.now() + leadMs;
  clock.set(moment.at - leadMs);
  const service = await startProcess({
    ...settings,
    ...clock.settings,
    TIME_ZONE: moment.zone,
    RECORDS_CALLS_PER_DAY: String(callsPerDay),
  });
  const timers: (() => void)[] = [];
  try {
    const { id: channel_id, publishUrl } = await newLiveChannel(service);
    const push = await startClipPush(publishUrl);
    const live = () => isLive(service, channel_id);
    await until(live, { withinMs: 5_000, otherwise: 'the channel is not live' });
    const viewers = await newViewers(settings, { channel_id, count: viewerCount });
    await connectAll(viewers, service.url);
    const stopBeats = startBeats(viewers, beatMs);
    const stopJumps = startJumps(clock, seeded(seed));
    timers.push(stopBeats, stopJumps);
    const calls = await countCalls({ service, channel_id, moment, momentAt });
    stopBeats();
    for (const viewer of viewers) viewer.beat();
    await Promise.all(viewers.map((viewer) => viewer.leave()));
    const jumps = stopJumps();
    await push.end();
    await service.stop();
    const stayedMs = performance.now() - momentAt + leadMs;
    const records = await judgeRecords({ settings, viewers, moment, leadMs, stayedMs });
    demand([...calls, ...records.problems].map((problem) => `${moment.name}: ${problem}`));
    return { jumps, shortMs: records.shortMs };
  } finally {
    for (const stop of timers) stop();
    if (service.isAlive()) await service.kill();
  }
}

/** An hour forward, an hour back, in no order; how often, when it stops. */
function startJumps(clock: MachineClock, random: Random): () => number {
  let jumps = 0;
  const timer = setInterval(() => {
    clock.jump(random.pick([-hourMs, hourMs]));
    jumps += 1;
  }, jumpEveryMs);
  return () => {
    clearInterval(timer);
    return jumps;
  };
}

/** A day's calls before the moment; after it as many again where it is a new day, and none where it is not. */
async function countCalls(given: {
  service: ServiceProcess;
  channel_id: number;
  moment: Moment;
  momentAt: number;
}): Promise<string[]> {
  const { service, channel_id, moment, momentAt } = given;
  const zone = new Zone(moment.zone);
  const isNewDay = zone.date(moment.at) !== zone.date(moment.at - 1);
  const problems: string[] = [];
  const nowAt = () => moment.at + performance.now() - momentAt;
  const call = async (wanted: number, when: 'before' | 'after') => {
    const from = nowAt();
    const path = `/v1/activities/${channel_id}/userRecords`;
    const { status, headers } = await service.call('POST', path);
    const to = nowAt();
    if (when === 'before' && to > moment.at - roundingMs) throw new TooLate(moment.name);
    if (status !== wanted) problems.push(`a call was answered ${status}, not ${wanted}`);
    const [mostMs, leastMs] = [from, to].map((now) => zone.nextDay(now) - now) as [number, number];
    const toldMs = Number(/;t=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1]) * 1_000;
    const apartMs = roundingMs + clocksApartMs;
    if (!(toldMs <= mostMs + apartMs && toldMs >= leastMs - apartMs))
      problems.push(`the day was said to last ${toldMs} ms more, not ${leastMs} to ${mostMs}`);
  };
  for (let n = 0; n < callsPerDay; n++) await call(200, 'before');
  await call(429, 'before');
  // The machine's clock jumps over the moment and back meanwhile.
  await Bun.sleep(momentAt - asideMs - performance.now());
  await call(429, 'before');
  await Bun.sleep(momentAt + asideMs - performance.now());
  for (let n = 0; n < callsPerDay; n++) await call(isNewDay ? 200 : 429, 'after');
  await call(429, 'after');
  return problems;
}

/** Every viewer has one session, as long as it watched, at the times that the service began with. */
async function judgeRecords(given: {
  settings: DatabaseSettings;
  viewers: readonly BeatingViewer[];
  moment: Moment;
  leadMs: number;
  /** Nobody was there for longer. */
  stayedMs: number;
}): Promise<{ problems: string[]; shortMs: number }> {
  const { settings, viewers, moment, leadMs, stayedMs } = given;
  const rows = await asking(settings, (ask) =>
    ask(`SELECT s.*, v.watch_ms AS visitor_ms FROM sessions s
      JOIN visitors v ON v.channel_id = s.channel_id AND v.viewer_id = s.viewer_id`),
  );
  const problems = rows.length === viewers.length ? [] : [`${rows.length} sessions`];
  let shortMs = 0;
  for (const { viewer_id, ...row } of rows) {
    const number = (name: string) => Number(row[name]);
    const [watchMs, onlineMs] = [number('watch_ms'), number('online_ms')];
    const [enteredAt, seenAt] = [number('entered_at'), number('last_seen_at')];
    const viewer = viewers.find((one) => one.viewer_id === viewer_id);
    const saidMs = viewer?.saidMs() ?? 0;
    shortMs = Math.max(shortMs, saidMs - watchMs);
    if (watchMs > saidMs || watchMs < saidMs - (viewer?.echoMs ?? 0))
      problems.push(`${viewer_id} has ${watchMs} ms and said ${saidMs}`);
    const rising = [watchMs, onlineMs, seenAt - enteredAt, stayedMs];
    if (rising.some((ms, n) => ms < (rising[n - 1] ?? 0)))
      problems.push(`${viewer_id} watched, was online, seen and there for ${rising.join(', ')} ms`);
    if (watchMs !== row['visitor_ms']) problems.push(`${viewer_id} has another sum as a visitor`);
    if (enteredAt < moment.at - leadMs || enteredAt > moment.at || seenAt < moment.at)
      problems.push(`${viewer_id} came ${enteredAt - moment.at} ms after the moment`);
  }
  return { problems, shortMs };
}
