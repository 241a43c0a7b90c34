// Fault 1 for events: kill -9 while callers write and a push is on; every change that was answered is told once, and no other.
import { startClipPush } from '../test/support/clip-push.ts';
import type { Engine } from '../test/support/engines.ts';
import { EventFollower } from '../test/support/event-follower.ts';
import { freePort } from '../test/support/free-port.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection, NoAnswer } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

const callersAtOnce = 6;
/** The longest that callers write before the kill. */
const killWithinMs = 400;

export const trial: Trial = {
  sentence: 'kill -9 while callers write; every change is told once, in order, and no other',
  rounds: 100,
  run: (options) => onEachEngine(options, (engine) => killEventsRounds({ ...options, engine })),
};

/** What is to be told of a channel, in order; `maybe` was asked for and not answered. */
interface Changes {
  done: string[];
  maybe: string | undefined;
}

/** By channel. */
type Book = Map<number, Changes>;

/** One that sees what is told, and comes back after each kill with the last id it had. */
interface Witness {
  ids: string[];
  lastEventId: string;
}

export async function killEventsRounds({
  rounds,
  seed,
  engine,
}: RoundOptions & { engine: Engine }): Promise<Figures> {
  const figures = { rounds: 0, acknowledged: 0, events: 0 };
  const settings = { ...(await engine.fresh()), PORT: String(await freePort()) };
  let service = await startProcess(settings);
  const { token } = service;
  const book: Book = new Map();
  const witness: Witness = { ids: [], lastEventId: '0.0' };
  try {
    const { body } = await service.call('POST', '/v1/activities', { body: { name: 'on air' } });
    const onAir: number = body.id;
    for (let at = 0; at < rounds; at++) {
      await round('kill-events', seed + at, async () => {
        const random = seeded(seed + at);
        figures.acknowledged += await writeUntilKilled({ service, random, book, witness, onAir });
        service = await startProcess(settings, { token });
        await seeRest(service, settings, witness);
        demand(await problemsOf(settings, { book, witness, onAir, pushes: at + 1 }));
      });
      figures.rounds += 1;
    }
    figures.events = witness.ids.length;
  } finally {
    await service.kill();
  }
  return figures;
}

async function follow({ url, token }: ServiceProcess, { lastEventId }: Witness) {
  return await EventFollower.open({
    url,
    headers: { authorization: `Bearer ${token}` },
    lastEventId,
  });
}

function note(witness: Witness, { messages, lastEventId }: EventFollower): void {
  witness.ids.push(...messages.splice(0).map(({ event, data }) => data.id ?? event));
  witness.lastEventId = lastEventId;
}

/** Callers change channels of their own, a push is on, and somebody follows, until the service is killed. */
async function writeUntilKilled(given: {
  service: ServiceProcess;
  random: Random;
  book: Book;
  witness: Witness;
  onAir: number;
}): Promise<number> {
  const { service, random, book, witness, onAir } = given;
  const follower = await follow(service, witness);
  const { body } = await service.call('GET', `/v1/activities/${onAir}`);
  const push = await startClipPush(body.rtmp_publish_addr);
  await follower.until(() => follower.messages.some(({ event }) => event === 'channel.live'));
  const first = Promise.withResolvers<void>();
  const callers = Array.from({ length: callersAtOnce }, () =>
    changeChannel({ service, random, book, onAnswer: first.resolve }),
  );
  await first.promise;
  // The moment is the point here: no event is waited for.
  await Bun.sleep(random.next() * killWithinMs);
  await service.kill();
  await push.over;
  await follower.over;
  note(witness, follower);
  return (await Promise.all(callers)).reduce((sum, count) => sum + count, 0);
}

/** Makes a channel, renames it, deletes it, brings it back, over and over; how many calls were answered. */
async function changeChannel(given: {
  service: ServiceProcess;
  random: Random;
  book: Book;
  onAnswer(): void;
}): Promise<number> {
  const { service, random, book, onAnswer } = given;
  const { url, token } = service;
  const connection = await HttpConnection.open(url);
  let answered = 0;
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await connection.request(method, path, { token, ...(body && { body }) });
    if (reply.status !== 200) throw new Error(`${method} ${path} was answered ${reply.text}`);
    answered += 1;
    onAnswer();
    return reply.body;
  };
  try {
    for (;;) {
      const { id } = await ask('POST', '/v1/activities', { name: 'made' });
      const changes: Changes = { done: ['created made'], maybe: undefined };
      book.set(id, changes);
      const change = async (told: string | undefined, ...asked: Parameters<typeof ask>) => {
        changes.maybe = told;
        await ask(...asked);
        if (told) changes.done.push(told);
        changes.maybe = undefined;
      };
      for (let steps = Math.ceil(random.next() * 4); steps > 0; steps -= 1) {
        const name = `named ${steps}`;
        await change(`updated ${name}`, 'PUT', `/v1/activities/${id}`, { name });
        // The same once more is no change.
        await change(undefined, 'PUT', `/v1/activities/${id}`, { name });
        await change(`deleted ${name}`, 'DELETE', `/v1/activities/${id}`);
        await change(`created ${name}`, 'POST', `/manage/v1/channels/${id}/restore`, {});
      }
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  } finally {
    connection.close();
  }
  return answered;
}

const mainEvents = 'SELECT seq, id, type, channel_id, data FROM events WHERE feed = 0 ORDER BY seq';

/** Comes back with the last id, and sees what there is by then. */
async function seeRest(
  service: ServiceProcess,
  settings: DatabaseSettings,
  witness: Witness,
): Promise<void> {
  const follower = await follow(service, witness);
  const last = await asking(settings, async (ask) =>
    Number((await ask(mainEvents)).at(-1)?.['seq']),
  );
  await follower.until(() => mainIn(follower.lastEventId) >= last);
  await follower.leave();
  note(witness, follower);
}

/** The last number of the main feed. */
function mainIn(lastEventId: string): number {
  return Number(lastEventId.split('.')[0]);
}

/** What was not told, what was told twice or wrongly, and what the witness missed. */
async function problemsOf(
  settings: DatabaseSettings,
  given: { book: Book; witness: Witness; onAir: number; pushes: number },
): Promise<string[]> {
  const { book, witness, onAir, pushes } = given;
  return await asking(settings, async (ask) => {
    const problems: string[] = [];
    const events = await ask(mainEvents);
    const told = new Map<number, string[]>();
    for (const { channel_id, type, data } of events) {
      const { name } = JSON.parse(String(data));
      const kind = String(type).replace('channel.', '');
      const so = told.get(Number(channel_id)) ?? [];
      told.set(Number(channel_id), [...so, name === undefined ? kind : `${kind} ${name}`]);
    }
    events.forEach(({ seq }, at) => {
      if (Number(seq) !== at + 1) problems.push(`event ${seq} stands at ${at + 1}`);
    });
    // What is made of the push after the start, as its video, is told when it is done: the witness left meanwhile.
    const seen = mainIn(witness.lastEventId);
    const wanted = events.filter(({ seq }) => Number(seq) <= seen).map(({ id }) => String(id));
    if (witness.ids.join() !== wanted.join())
      problems.push(`of ${wanted.length} events the witness saw ${witness.ids.length}`);
    const channels = await ask('SELECT id, name, deleted_at FROM channels ORDER BY id');
    for (const { id, name, deleted_at } of channels) {
      const said = told.get(Number(id)) ?? [];
      if (Number(id) === onAir) continue;
      // One whose making was not answered is in no book.
      const { done, maybe } = book.get(Number(id)) ?? { done: [], maybe: 'created made' };
      const may = [done, ...(maybe ? [[...done, maybe]] : [])].map(String);
      if (!may.includes(String(said)))
        problems.push(`of ${id} is told: ${said}; done: ${may.at(-1)}`);
      // One transaction: what was told last is how it is.
      const last = said.at(-1) ?? '';
      const isDeleted = deleted_at !== null;
      if (!last.endsWith(` ${name}`) || last.startsWith('deleted') !== isDeleted)
        problems.push(`of ${id}, ${name}${isDeleted ? ', deleted' : ''}, is told last: ${last}`);
    }
    const known = new Set(channels.map(({ id }) => Number(id)));
    for (const id of told.keys())
      if (!known.has(id)) problems.push(`channel ${id} is told of, and was not made`);
    const shown = (told.get(onAir) ?? []).filter((kind) => /^(live|offline)$/.test(kind));
    const shows = Array.from({ length: pushes }, () => ['live', 'offline']).flat();
    if (String(shown) !== String(shows)) problems.push(`of the push is told: ${shown}`);
    return problems;
  });
}
