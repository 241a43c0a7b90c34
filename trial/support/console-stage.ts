// Services for looking at the console: one as new, one that has much of everything.

import { scopes } from '../../src/base/api/caller.ts';
import { openCommandStore } from '../../src/base/db/store.ts';
import { createToken } from '../../src/library/access/token-store.ts';
import { makeConsoleLink } from '../../src/library/people/console-link-store.ts';
import { addVideos } from '../../src/library/videos/video-store.ts';
import { operations } from '../../src/operations.ts';
import { startClipPush } from '../../test/support/clip-push.ts';
import { temporaryFolder } from '../../test/support/engines.ts';
import { crowdsOf, makePagingData } from '../../test/support/paging-data.ts';
import { type ServiceProcess, startProcess } from '../../test/support/service-process.ts';
import { makeShow } from '../../test/support/show-data.ts';
import { plainVideo } from '../../test/support/store.ts';
import { type Ask, asker } from './console-asker.ts';
import { addCaptions, type Doors, makeDoors } from './console-doors.ts';

export interface ConsoleStage {
  service: ServiceProcess;
  /** Makes the person who looks. */
  link: string;
  /** The channel whose tabs are shown, and what it has. */
  channel: number;
  show: number;
  viewer: string;
  /** A channel on air; the same where none is. */
  live: number;
  /** Of those that not everybody may watch; none on a stage that is empty. */
  doors: Doors | undefined;
  end(): Promise<void>;
}

export interface World {
  channels: number;
  /** Of one show. */
  viewers: number;
  videos: number;
}

export async function emptyStage(): Promise<ConsoleStage> {
  const service = await startProcess({ DATA_DIR: temporaryFolder() });
  const end = async () => {
    await service.stop();
  };
  // The first person makes the first channel.
  const things = { channel: 1, show: 0, viewer: '', live: 1, doors: undefined };
  return { service, link: service.consoleLink, ...things, end };
}

export async function fullStage(world: World): Promise<ConsoleStage> {
  const dataDir = temporaryFolder();
  const { show, token, secret } = await fill(dataDir, world);
  const service = await startProcess(
    { DATA_DIR: dataDir, CHANNELS_PER_ACCOUNT: '1000000' },
    { token },
  );
  const ask = asker(service);
  await ask('PUT', '/v1/activities/1', { name: 'Spring launch: the new collection, live' });
  for (let at = 0; at < 40; at++)
    await ask('POST', '/manage/v1/managers', { username: `Team ${at}` });
  for (let at = 0; at < 40; at++)
    await ask('POST', '/manage/v1/tokens', { name: `Program ${at}`, scopes: ['audience:read'] });
  for (let at = 0; at < 30; at++) {
    const { id } = await ask('POST', '/v1/activities', { name: nameOf(at) });
    await ask('DELETE', `/v1/activities/${id}`);
    await ask('DELETE', `/manage/v1/videos/${at + 1}`);
  }
  await addCaptions(service, ask, world.videos);
  const doors = await makeDoors(service, ask);
  const live = await makeChannels(ask, world.channels);
  const push = await startClipPush(live.rtmp_publish_addr);
  for (const text of said) await ask('POST', `/manage/v1/channels/${live.id}/chat/say`, { text });
  const [visitor] = await ask('POST', '/v1/activities/1/visitors', { perPage: 1 });
  return {
    service,
    link: `${service.url}/console/link#${secret}`,
    channel: 1,
    show,
    viewer: visitor.visitor_id,
    live: live.id,
    doors,
    end: async () => {
      await push.end();
      await service.stop();
    },
  };
}

const said = ['Welcome, everybody', '大家好，欢迎来到直播间', 'The slides are below the picture.'];

/** The last one made. */
async function makeChannels(
  ask: Ask,
  count: number,
): Promise<{ id: number; rtmp_publish_addr: string }> {
  for (let at = 1; ; at++) {
    const upcoming = at % 3 === 0 && { start_time: '2027-05-01 19:30:00' };
    const channel = await ask('POST', '/v1/activities', { name: nameOf(at), ...upcoming });
    if (at < 30) await ask('PUT', `/v1/activities/${channel.id}/page`, { public: true });
    if (at >= count) return channel;
  }
}

function nameOf(at: number): string {
  return `${names[at % names.length]} ${at}`;
}

const names = [
  'Weekly class',
  '产品发布会',
  'All hands',
  'A very long name that somebody gave a channel without thinking of narrow screens at all',
  'Q&A <live>',
  '年度盛典直播',
];

const account_id = 1;

/** Rows that only time would bring. */
async function fill(dataDir: string, { viewers, videos }: World) {
  const settings = { dataDir, databaseUrl: '', deadlineMs: 60_000, connectionsMax: 2 };
  await makePagingData(settings, crowdsOf([viewers]));
  const store = await openCommandStore(settings, operations);
  try {
    const show = await makeShow(store, { channel_id: 1, viewers, first: 1 });
    const rows = Array.from({ length: videos }, (_, at) =>
      plainVideo({
        channel_id: 1,
        external_id: `video ${at}`,
        name: nameOf(at),
        duration: 60 + (at % 7_000),
        video_size: 1_000_000 * (1 + (at % 900)),
      }),
    );
    for (let at = 0; at < rows.length; at += 500)
      await store.perform(addVideos, { account_id, videos: rows.slice(at, at + 500) });
    const now = Date.now();
    const { token } = await store.perform(createToken, {
      ...{ account_id, manager_id: 0, name: 'The trial', scopes, now, expires_at: null },
    });
    const { secret } = await store.perform(makeConsoleLink, { account_id, now });
    return { show, token, secret };
  } finally {
    await store.close();
  }
}
