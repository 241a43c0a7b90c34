// The longest messages of a page, and the largest audience that may be there at once.
import { chatBounds } from '../../../src/audience/chat/chat-limits.ts';
import { typedText } from '../../../src/audience/chat/typed-text.ts';
import { Connection } from '../../../src/audience/connection/page-connection.ts';
import { AudienceFlush } from '../../../src/audience/counting/audience-flush.ts';
import { pageBounds, presenceLimits } from '../../../src/audience/protocol/page-limits.ts';
import { readPageMessage } from '../../../src/audience/protocol/page-message-reader.ts';
import { Doors } from '../../../src/audience/rooms/doors.ts';
import { Rooms } from '../../../src/audience/rooms/rooms.ts';
import { signTicket } from '../../../src/audience/viewers/ticket.ts';
import { startServiceStore } from '../../../src/base/db/store.ts';
import { startLog } from '../../../src/base/lib/log.ts';
import { visibleText } from '../../../src/base/lib/visible-text.ts';
import { createFirstAccount } from '../../../src/library/access/account-store.ts';
import { audienceBounds } from '../../support/audience-bounds.ts';
import { temporaryFolder } from '../../support/engines.ts';
import { openHall as openPresenceHall } from '../../support/presence-hall.ts';
import { newChannel } from '../../support/store.ts';
import type { Largest } from '../../support/stretch.ts';

const { messageBytesMax } = presenceLimits;
const { framesPerPage } = pageBounds;
const viewersMax = 20_000;
const noon = Date.UTC(2026, 4, 4, 12);
const log = startLog('silent');

/** So many bytes of one text over and over: as long as a message may be, unless it is said how long. */
function filled(text: string, bytes: number = messageBytesMax): string {
  return text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
}

const textShapes: Record<string, string> = {
  letters: 'a',
  marks: 'e\u0301\u0301\u0301\u0301\u0301\u0301',
  'marks alone': '\u0301',
  'joiners between letters of Persian': '\u0645\u200c',
  'joiners behind one letter': `\u0645${'\u200d'.repeat(40)}`,
  'families of one chain': '\u{1F468}\u200d',
  'flags that are not spelt out': '\u{1F3F4}\u{E0067}\u{E0062}',
  'blanks of all kinds': ' \u2800\u2003\n',
  'halves of pairs': '\ud83d',
  'tags that hide': '\u{E0041}',
};

export const audience: readonly Largest[] = [
  ...Object.entries(textShapes).map(([what, text]) => ({
    name: `visible text: ${what}`,
    prepare: () => () => visibleText(filled(text)),
  })),
  ...Object.entries(textShapes).map(([what, text]) => ({
    name: `thirty lines of chat: ${what}`,
    prepare: () => () => {
      for (let n = 0; n < framesPerPage; n += 1) typedText(filled(text), 500);
    },
  })),
  messages('arrays in arrays', filled('[')),
  messages('objects in objects', filled('{"a":')),
  messages('an object of many names', `{"type":"chat",${filled('"a":1,', 4_000)}"text":""}`),
  messages('a hello that has said much', helloOf(filled('[1,2],', 3_900).slice(0, -1))),
  {
    name: 'a hello with the longest ticket',
    prepare: () => {
      const doors = newDoors();
      const ticket = signTicket('secret', {
        channel_id: 1,
        viewer_id: filled('v', 64),
        nick: filled('\u{1F468}', 256),
        phone: filled('1', 32),
        origin: filled('o', 253),
        language: 'en',
        issued_at: noon,
      });
      const upgrade = { ip: '192.0.2.7', network: '', device: '', browser: '', refusal: undefined };
      const all = Array.from({ length: 100 }, () => new Connection(upgrade, noon));
      for (const connection of all) doors.opened(connection);
      return () => {
        for (const connection of all)
          doors.hello(connection, { type: 'hello', ticket, instance: 'page' });
      };
    },
  },
  {
    name: 'a newcomer of a network that has its share, behind 20,000 strangers',
    prepare: () => {
      const doors = newDoors();
      const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';
      const asked = { origin: 'http://a', host: 'a', userAgent };
      for (let n = 0; n < viewersMax; n += 1) {
        const address = `10.0.${n >> 8}.${n & 255}`;
        const connection = doors.admit({ ...asked, address });
        if (connection !== 'refused') doors.opened(connection);
      }
      return () => {
        for (let n = 0; n < 10; n += 1) doors.admit({ ...asked, address: '192.0.2.1' });
      };
    },
  },
  {
    name: '200 pages that say all they may in one turn: lines of letters and joiners',
    prepare: async () => {
      const { presence, enter } = await openPresenceHall();
      const pages = await Promise.all(Array.from({ length: 200 }, (_, n) => enter(`viewer ${n}`)));
      const line = JSON.stringify({ type: 'chat', text: filled('\u0645\u200c', 3_900) });
      return async () => {
        for (const page of pages)
          for (let n = 0; n < framesPerPage - 2 && page.isOpen; n += 1) page.write(line);
        for (const page of pages) page.close();
        await presence.stop();
      };
    },
  },
  hallWork('1,000 viewers are let in at once', async (hall) => {
    for (let n = 0; n < 1_000; n += 1) hall.arrive(`late ${crypto.randomUUID()}`);
    return () => hall.settled();
  }),
  hallWork('a round that looks for the silent', async (hall) => () => {
    for (const _ of hall.rooms.sweep(noon + 1));
  }),
  hallWork('what 20,000 viewers have come to is written', async (hall) => {
    hall.markAll();
    return () => hall.flush.flush();
  }),
  hallWork('the longest lines of chat are told', async (hall) => {
    const chat = hall.rooms.find(hall.channel_id)?.chat;
    const text = filled('\u{1F468}', 2_000);
    for (let id = 1; id <= chatBounds.chatWaitingMax; id += 1)
      chat?.tellLater({
        id,
        viewer_id: `viewer ${id}`,
        nick: 'nick',
        text,
        sent_at: noon,
      } as never);
    return () => chat?.tell();
  }),
  hallWork('every viewer leaves at once', async (hall) => () => hall.rooms.leaveAll(noon)),
];

function messages(what: string, text: string): Largest {
  const given = text.slice(0, messageBytesMax);
  return {
    name: `thirty messages of a page: ${what}`,
    prepare: () => () => {
      for (let n = 0; n < framesPerPage; n += 1) readPageMessage(given);
    },
  };
}

function helloOf(reports: string): string {
  const whole = reports.slice(0, reports.lastIndexOf(']') + 1);
  return `{"type":"hello","ticket":"t","instance":"i","said":{"played_ms":1,"reports":[${whole}]}}`;
}

function newDoors(): Doors {
  return new Doors({
    ...audienceBounds(),
    connectionsMax: viewersMax,
    secret: 'secret',
    publicUrl: '',
    deviceOf: () => ({ device: '', browser: '', isBot: false }),
    authorOf: () => 'author',
    now: () => noon,
    onArrival: () => {},
  });
}

type Hall = Awaited<ReturnType<typeof openHall>>;

function hallWork(what: string, prepare: (hall: Hall) => Promise<() => unknown>): Largest {
  return { name: `an audience of 20,000: ${what}`, prepare: async () => prepare(await hall()) };
}

const hall = once(openHall);

/** Rooms on a store like the service's, and everybody in one of them. */
async function openHall() {
  const { store } = await startServiceStore(
    { databaseUrl: '', dataDir: temporaryFolder(), deadlineMs: 60_000, connectionsMax: 1 },
    new URL('../../../src/store-worker.ts', import.meta.url),
  );
  await store.perform(createFirstAccount, { now: 0 });
  const channel_id = await newChannel(store);
  const flush = new AudienceFlush({
    store,
    log,
    now: Date.now,
    everyMs: 600_000,
    onErased: () => {},
  });
  const rooms = new Rooms({
    places: { of: () => '' },
    ...audienceBounds(),
    entriesPerNetwork: 10_000_000,
    store,
    now: () => noon,
    log,
    authorOf: () => 'author',
    publish: () => {},
    onChange: () => {},
    onOver: () => {},
    heldBy: 1,
  });
  const socket = { send: () => {}, close: () => {}, terminate: () => {}, subscribe: () => {} };
  const connections: Connection[] = [];
  const arrive = (viewer_id: string) => {
    const upgrade = { ip: '', network: '', device: '', browser: '', refusal: undefined };
    const connection = new Connection(upgrade, noon);
    connection.opened(socket);
    connections.push(connection);
    const texts = { nick: '', addr: '', phone: '', device: '', browser: '', origin: '', ip: '' };
    rooms.entrance(channel_id).arrive({
      connection,
      entry: { viewer_id, ...texts, at: noon },
      author: 'author',
      instance: viewer_id,
      namedAt: 0,
      resume: undefined,
      said: undefined,
    });
  };
  const settled = async () => {
    while (!rooms.entrance(channel_id).isEmpty) await Bun.sleep(1);
  };
  for (let n = 0; n < viewersMax; n += 1) arrive(`viewer ${n}`);
  await settled();
  const sessions = () => connections.flatMap(({ session }) => session ?? []);
  const markAll = () => {
    // More than a few are written at once, unless a write is under way.
    for (const session of sessions().slice(0, viewersMax)) flush.mark(session);
  };
  return { channel_id, rooms, flush, arrive, settled, markAll };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  const made: { value?: Promise<T> } = {};
  return () => {
    made.value ??= make();
    return made.value;
  };
}
