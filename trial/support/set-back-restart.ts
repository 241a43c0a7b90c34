// A service is killed and its machine's clock set back before the next start.

import {
  type BeatingViewer,
  connectAll,
  newViewers,
  startBeats,
} from '../../test/support/beating-viewers.ts';
import { startClipPush } from '../../test/support/clip-push.ts';
import { temporaryFolder } from '../../test/support/engines.ts';
import { freePort } from '../../test/support/free-port.ts';
import { isLive, newLiveChannel, until } from '../../test/support/live-channel.ts';
import { startProcess } from '../../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';
import { demand } from '../../test/support/trial.ts';
import { MachineClock } from './machine-clock.ts';

interface Crowd {
  viewerCount: number;
  beatMs: number;
}

const setBackMs = 3_600_000;
/** Before the kill, and after it. */
const watchMs = 6_000;

/** Everybody watches both. What they say from then on counts as ever. */
export async function passSetBack({ viewerCount, beatMs }: Crowd) {
  const folder = temporaryFolder();
  const clock = new MachineClock(folder);
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: '',
    MIN_FREE_DISK: '10M',
    LOG_LEVEL: 'warn',
    PORT: String(await freePort()),
    RTMP_PORT: String(await freePort()),
    ...clock.settings,
  };
  let service = await startProcess(settings);
  const { token } = service;
  try {
    const channel = await newLiveChannel(service);
    const viewers = await newViewers(settings, { channel_id: channel.id, count: viewerCount });
    const watch = async () => {
      const push = await startClipPush(channel.publishUrl);
      const live = () => isLive(service, channel.id);
      await until(live, { withinMs: 5_000, otherwise: 'the channel is not live' });
      await connectAll(viewers, service.url);
      const stopBeats = startBeats(viewers, beatMs);
      // How long is the point here: no event is waited for.
      await Bun.sleep(watchMs);
      stopBeats();
      return push;
    };
    const cut = await watch();
    await service.kill();
    await cut.end();
    clock.jump(-setBackMs);
    const backAt = performance.now();
    service = await startProcess(settings, { token });
    const push = await watch();
    for (const viewer of viewers) viewer.beat();
    await Promise.all(viewers.map((viewer) => viewer.leave()));
    await push.end();
    await service.stop();
    const { problems, shortMs } = await judgeRestart({ settings, viewers, backAt });
    demand(problems.map((problem) => `a clock set back: ${problem}`));
    return { jumps: 1, shortMs };
  } finally {
    if (service.isAlive()) await service.kill();
  }
}

/** The session of after the restart has all that was said since, and the visitor both sessions. */
async function judgeRestart(given: {
  settings: DatabaseSettings;
  viewers: readonly BeatingViewer[];
  backAt: number;
}): Promise<{ problems: string[]; shortMs: number }> {
  const { settings, viewers, backAt } = given;
  const rows = await asking(settings, (ask) =>
    ask(`SELECT s.*, v.watch_ms AS visitor_ms FROM sessions s
      JOIN visitors v ON v.channel_id = s.channel_id AND v.viewer_id = s.viewer_id ORDER BY s.seq`),
  );
  const problems: string[] = [];
  let worstMs = 0;
  for (const viewer of viewers) {
    const own = rows.filter((row) => row['viewer_id'] === viewer.viewer_id);
    const [before, after] = own.map((row) => (name: string) => Number(row[name]));
    if (!before || !after || own.length > 2) {
      problems.push(`${viewer.viewer_id} has ${own.length} sessions`);
      continue;
    }
    const [watchMs, onlineMs] = [after('watch_ms'), after('online_ms')];
    const rowMs = after('last_seen_at') - after('entered_at');
    const shortMs = viewer.saidMs(backAt) - watchMs;
    worstMs = Math.max(worstMs, shortMs);
    if (shortMs < 0 || shortMs > viewer.echoMs)
      problems.push(`${viewer.viewer_id} is ${shortMs} ms short`);
    if (onlineMs < watchMs || rowMs < onlineMs)
      problems.push(`${viewer.viewer_id} watched ${watchMs} ms, online ${onlineMs} of ${rowMs}`);
    if (after('visitor_ms') !== before('watch_ms') + watchMs)
      problems.push(`${viewer.viewer_id} has another sum as a visitor`);
  }
  return { problems, shortMs: worstMs };
}
