// Fault 1 for the whole: kill -9 under deletes, undos, clips, uploads and a show at once; nothing half done, nothing lost that was acknowledged.
import type { Engine } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { newLiveChannel, until } from '../test/support/live-channel.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, spawnServe, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  allOf,
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { filmOf } from '../test/support/uploads.ts';
import { audienceProblems } from './support/audience-rows.ts';
import { ConsoleBook } from './support/console-book.ts';
import { ConsoleCaller, type Way } from './support/console-callers.ts';
import {
  fileProblems,
  listProblems,
  reportProblems,
  totalProblems,
} from './support/console-judge.ts';
import { ConsoleShow } from './support/console-show.ts';
import { ConsoleSender } from './support/console-uploads.ts';
import { diskProblems, untilJobsEnd } from './support/recording-judge.ts';

/** The longest that all of them work before the kill. */
const killWithinMs = 3_000;
/** Calls that change files and rows, and for how long one may be under way when the kill comes. */
const aims = ['beginUpload', 'endUpload', 'lastPiece', 'makeClip', 'deleteChannel'] as const;
const killAfterMs = 60;
/** The longest that a start lasts before it is killed, in the rounds that do so. */
const killStartWithinMs = 600;
/** While what was deleted is removed for good. */
const removalKills = 5;
const removedWithinMs = 180_000;
const filmBytes = 300_000;
const filmSeconds = 2;
const password = 'three green lamps';

export const trial: Trial = {
  sentence:
    'kill -9 under deletes, undos, clips, uploads and a show at once; all is whole, nothing acknowledged is lost',
  rounds: 50,
  run: (options) =>
    onEachEngine(options, (engine) =>
      consoleRounds({ ...options, engine }, { pages: 7, waitsForJobs: true }),
    ),
};

interface Size {
  /** Of those who watch. */
  pages: number;
  /** At the end; a job that was killed is taken up again minutes later. */
  waitsForJobs: boolean;
}

export async function consoleRounds(
  { rounds, seed, engine, say }: RoundOptions & { engine: Engine },
  size: Size,
): Promise<Figures> {
  const settings = {
    ...(await engine.fresh()),
    PORT: String(await freePort()),
    RTMP_PORT: String(await freePort()),
    MIN_FREE_DISK: '10M',
    LOG_LEVEL: 'warn',
    // Everybody is one network, and one channel goes on and off the air all the time.
    PUSHES_PER_MINUTE: '10000',
    ACCOUNT_PUSHES_PER_MINUTE: '10000',
    PUSH_SEGMENTS_PER_MINUTE: '10000',
    AUDIENCE_ENTRIES_PER_NETWORK: '10000',
    RTMP_CONNECTS_PER_NETWORK: '1000',
    RTMP_KEY_LOOK_UPS: '1000',
  };
  const figures = { rounds: 0, killed_starts: 0, ended_shows: 0, removed_videos: 0 };
  let service = await startProcess(settings);
  try {
    const world = await newWorld(service, settings, size);
    for (let at = 0; at < rounds; at++) {
      await round('console', seed + at, async () => {
        const random = seeded(seed + at);
        await workUntilKilled(service, world, random);
        if (random.whole(1, 4) === 1) {
          await killStart(settings, random);
          figures.killed_starts += 1;
        }
        service = await startProcess(settings, { token: world.way.token });
        figures.ended_shows = await judge(service, settings, world, random);
      });
      figures.rounds += 1;
      if ((at + 1) % 5 === 0) say(`${at + 1} rounds, ${world.book.counts.acknowledged} answered`);
    }
    await world.show.end();
    demand(await fileProblems(settings, () => false));
    if (size.waitsForJobs) await untilJobsEnd(settings);
    demand(await folderProblems(settings, { mayBeMaking: !size.waitsForJobs }));
    const videos = await countOf(settings, 'videos');
    if (size.waitsForJobs) {
      await service.kill();
      service = await removeDeleted(settings, seeded(seed + rounds));
      figures.removed_videos = videos - (await countOf(settings, 'videos'));
    }
    return { ...figures, videos, ...countsOf(world) };
  } finally {
    await service.kill();
  }
}

/** Who works on a service, and what they were told. */
interface World {
  way: Way;
  book: ConsoleBook;
  callers: ConsoleCaller[];
  senders: ConsoleSender[];
  show: ConsoleShow;
  /** Each has their own, made anew for each round. */
  randoms: Random[];
}

const ways = ['interface', 'console', 'interface', 'console'] as const;
const sendersAtOnce = 2;

async function newWorld(
  service: ServiceProcess,
  settings: DatabaseSettings,
  { pages }: Size,
): Promise<World> {
  const { url, token } = service;
  const way = { url, token, cookie: await signedUp(service) };
  const book = new ConsoleBook();
  await book.begin(settings);
  const randoms: Random[] = [];
  const film = await filmOf(filmBytes, filmSeconds);
  const connection = await HttpConnection.open(url);
  const randomOf = () => {
    const at = randoms.push(seeded(randoms.length)) - 1;
    return () => randoms[at] ?? seeded(at);
  };
  const callers = ways.map(
    (via, at) => new ConsoleCaller({ book, via, name: `${via} ${at}`, random: randomOf() }),
  );
  const senders: ConsoleSender[] = [];
  for (const caller of callers) {
    const channel = await caller.makeChannel(connection, way);
    const sender = new ConsoleSender({ book, channel, film, random: randomOf() });
    const video = await sender.sendWhole(service, way);
    caller.hasVideo(video.id, video.name, channel);
  }
  for (let at = 0; at < sendersAtOnce; at++) {
    const channel = await newChannel(service, book, `sender ${at}`);
    senders.push(new ConsoleSender({ book, channel, film, random: randomOf() }));
  }
  connection.close();
  const channel = await newLiveChannel(service, 'the show');
  book.note({ ...byToken, operation: 'createChannel' }, channel.id);
  book.made({ kind: 'channel', id: channel.id, name: 'the show' });
  const show = await ConsoleShow.of(settings, { book, channel, pages, random: randomOf() });
  return { way, book, callers, senders, show, randoms };
}

const byToken = { via: 'interface', kind: 'channel', id: undefined } as const;

async function newChannel(service: ServiceProcess, book: ConsoleBook, name: string) {
  const { id } = (await service.call('POST', '/v1/activities', { body: { name } })).body;
  book.note({ ...byToken, operation: 'createChannel' }, id);
  return book.made({ kind: 'channel', id, name });
}

/** The first person, by the link that the first start prints; the cookies of their browser. */
async function signedUp({ url, consoleLink }: ServiceProcess): Promise<string> {
  const answer = await fetch(`${url}/manage/v1/links/use`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({
      link: consoleLink.split('#')[1],
      user_name: 'host',
      password,
    }),
  });
  if (!answer.ok) throw new Error(`the first person was answered ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}

async function workUntilKilled(
  service: ServiceProcess,
  { way, book, show, callers, senders, randoms }: World,
  random: Random,
): Promise<void> {
  for (const at of randoms.keys()) randoms[at] = seeded(random.whole(0, 2 ** 31));
  if (!show.isOn) await show.begin(service);
  const works = [...callers, ...senders].map(
    (one) => (onAnswered: () => void) => one.run(way, onAnswered),
  );
  const begun: Promise<void>[] = [];
  const all = [...works, (onAnswered: () => void) => show.run(service, onAnswered)].map((work) => {
    const first = Promise.withResolvers<void>();
    begun.push(first.promise);
    return work(first.resolve);
  });
  const failed = Promise.all(all).then(() => {
    throw new Error('they ended before the kill');
  });
  failed.catch(() => {});
  try {
    await Promise.race([Promise.all(begun), failed]);
    await Promise.race([killMoment(book, random), failed]);
  } finally {
    await service.kill();
    await allOf(all);
  }
}

/** Any; or right behind a call that does several things, one after the other. */
async function killMoment(book: ConsoleBook, random: Random): Promise<void> {
  // The moment is the point here: no event is waited for.
  if (random.whole(1, 3) === 1) return await Bun.sleep(random.next() * killWithinMs);
  const asked = book.next(random.pick(aims));
  await Promise.race([asked, Bun.sleep(killWithinMs)]);
  await Bun.sleep(random.next() ** 2 * killAfterMs);
}

/** A start that is killed while the service looks at what the last one left. */
async function killStart(settings: Record<string, string>, random: Random): Promise<void> {
  const child = spawnServe(settings);
  await Bun.sleep(random.next() * killStartWithinMs);
  child.kill('SIGKILL');
  await child.exited;
}

async function countOf(settings: DatabaseSettings, rows: string): Promise<number> {
  const [row] = await asking(settings, (ask) => ask(`SELECT COUNT(*) AS n FROM ${rows}`));
  return Number(row?.['n']);
}

async function folderProblems(
  settings: DatabaseSettings,
  { mayBeMaking }: { mayBeMaking: boolean },
): Promise<string[]> {
  const videos = await countOf(settings, 'videos WHERE recording IS NOT NULL');
  return diskProblems(settings.DATA_DIR, { videos, mayBeMaking });
}

/** What was deleted goes for good, with kills in between, and nothing else does; the last service. */
async function removeDeleted(
  settings: DatabaseSettings & Record<string, string>,
  random: Random,
): Promise<ServiceProcess> {
  const removing = { ...settings, DELETED_CHANNEL_DAYS: '0' };
  const shown = `videos WHERE deleted_at IS NULL AND channel_id IN
    (SELECT id FROM channels WHERE deleted_at IS NULL)`;
  const kept = await countOf(settings, shown);
  for (let at = 0; at < removalKills; at++) await killStart(removing, random);
  // One service says what is gone, the next finds its files.
  await (await startProcess(removing, { token: '' })).kill();
  const service = await startProcess(removing, { token: '' });
  const isLeft = async () => (await countOf(settings, 'videos')) > kept;
  await until(async () => !(await isLeft()), {
    withinMs: removedWithinMs,
    otherwise: 'deleted videos do not go',
  });
  demand([
    ...(await fileProblems(settings, () => false)),
    ...(await totalProblems(settings)),
    ...(await folderProblems(settings, { mayBeMaking: false })),
  ]);
  if ((await countOf(settings, shown)) !== kept) demand(['a video went that nobody deleted']);
  return service;
}

/** Everything that must hold after a start; how many shows there were. */
async function judge(
  service: ServiceProcess,
  settings: DatabaseSettings,
  world: World,
  random: Random,
): Promise<number> {
  const { way, book, show, senders, callers } = world;
  if (random.whole(1, 3) === 1) for (const sender of senders) await sender.giveUpWhole(way);
  demand(await book.problems(settings));
  for (const sender of senders) demand(await sender.problems(settings, way));
  demand([...(await audienceProblems(settings)), ...(await show.problems(settings))]);
  const { shows, problems } = await reportProblems(service, settings, show.channel.id);
  book.note({ ...byToken, operation: 'exportSessionsNdjson' }, show.channel.id);
  demand(problems);
  demand(await pictureProblems(way, callers));
  // In some rounds encoder and pages do not wait for what else is to be done.
  if (random.whole(1, 2) === 1) await show.begin(service);
  for (const sender of senders) demand(await sender.settle(service));
  for (const sender of senders) demand(await sender.videoProblems(settings));
  demand(await fileProblems(settings, (id) => show.isOn && id === show.channel.id));
  demand(await listProblems(service, settings));
  demand(await book.problems(settings));
  return shows;
}

async function pictureProblems({ url }: Way, callers: readonly ConsoleCaller[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { address, channel } of callers.flatMap(({ pictures }) => pictures)) {
    const answer = await fetch(new URL(address, url));
    if (answer.status !== (channel.isThere ? 200 : 404))
      problems.push(`${address} was kept and is answered ${answer.status}`);
    await answer.arrayBuffer();
  }
  return problems;
}

function countsOf({ book, senders, show }: World): Figures {
  const sent = (name: keyof ConsoleSender['counts']) =>
    senders.reduce((sum, { counts }) => sum + counts[name], 0);
  return {
    acknowledged: book.counts.acknowledged,
    unanswered: book.counts.unanswered,
    unanswered_and_done: book.counts.doneUnanswered,
    pieces: sent('pieces'),
    cut_pieces: sent('cuts'),
    uploads_done: sent('done'),
    uploads_refused: sent('refused'),
    uploads_ended: sent('removed'),
    pushes: show.counts.pushes,
    cut_pushes: show.counts.cuts,
    clips_of_shows: show.counts.clips,
    reports: show.counts.reports,
  };
}
