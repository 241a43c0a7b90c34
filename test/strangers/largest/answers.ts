// The longest answers that one request asks for, of a whole service with as many rows as they can hold.
import { addMessage, silencesMax } from '../../../src/audience/chat/chat-store.ts';
import { addVideos } from '../../../src/library/videos/video-store.ts';
import { type Engine, engines } from '../../support/engines.ts';
import { onDatabaseOf } from '../../support/scenarios.ts';
import { startTestService } from '../../support/service.ts';
import { enterAnew, entry, newChannel, plainVideo } from '../../support/store.ts';
import type { Largest } from '../../support/stretch.ts';

const rows = 1_000;
const long = (length: number) => '\u4f60'.repeat(length);

export const answers: readonly Largest[] = [
  asked('a page of 1,000 videos', () => '/v1/videos?perPage=1000'),
  asked(
    'a search of titles',
    () => `/v1/videos?perPage=1000&title=${encodeURIComponent(long(200))}`,
  ),
  asked('a page of 1,000 lines of chat', (id) => `/manage/v1/channels/${id}/chat?perPage=1000`),
  asked('all who are muted', (id) => `/manage/v1/channels/${id}/chat/silences`),
  asked('to mute one more', (id) => `POST /manage/v1/channels/${id}/chat/mute`, {
    viewer_id: 'one more',
  }),
  asked('to lift one', (id) => `POST /manage/v1/channels/${id}/chat/lift`, {
    viewer_id: 'one more',
  }),
  asked('a page of 100 watch records', records('userRecords')),
  asked('a page of 100 visitors', records('visitors')),
  asked('an export as CSV', (id) => `/manage/v1/channels/${id}/sessions.csv`),
  asked('an export as NDJSON', (id) => `/manage/v1/channels/${id}/visitors.ndjson`),
  asked('the page of a channel', (id) => `/watch/${id}`),
  asked('the description of the interface', () => '/openapi.json'),
  asked('the description for people', () => '/docs/channels'),
  asked('the measures', () => '/metrics'),
];

function records(kind: string) {
  return (id: number) => `POST /v1/activities/${id}/${kind}?perPage=100`;
}

/** The first answer of its kind may be made once for all; the others are made for each, as the address differs. */
function asked(what: string, pathOf: (channel_id: number) => string, body?: object): Largest {
  return {
    name: `a request: ${what}`,
    prepare: async () => {
      const { service, channel_id } = await filledService();
      const [path = '', method = 'GET'] = pathOf(channel_id).split(' ').reverse();
      const url = `${service.url}${path}${path.includes('?') ? '&' : '?'}x=${crypto.randomUUID()}`;
      return async () => {
        const answer = await fetch(url, {
          method,
          headers: { authorization: `Bearer ${service.token}` },
          body: body && JSON.stringify(body),
        });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}`);
      };
    },
  };
}

const filledService = once(async () => {
  const service = await startTestService(engines[0] as Engine, {
    settings: { RECORDS_CALLS_PER_DAY: '0' },
    rounds: {
      tellChatEveryMs: 1e6,
      tellEveryMs: 1e6,
      lookEveryMs: 1e6,
      sweepEveryMs: 1e6,
      flushEveryMs: 1e6,
    },
  });
  const { store, clock } = service;
  const channel_id = await newChannel(store);
  const urls = { video_url: long(300), m3u8: long(300), cover_url: long(300) };
  const videos = Array.from({ length: rows }, (_, n) =>
    plainVideo({ external_id: `${n}`, channel_id, name: long(200), ...urls }),
  );
  await store.perform(addVideos, { account_id: 1, videos });
  const entries = Array.from({ length: rows }, (_, n) => ({
    ...entry(`viewer ${n}`, clock.now),
    nick: long(64),
    addr: long(30),
    origin: 'o'.repeat(253),
  }));
  await enterAnew(store, channel_id, entries);
  for (let n = 0; n < rows; n += 1) {
    const line = { channel_id, viewer_id: `viewer ${n}`, nick: long(32), text: long(500) };
    await store.perform(addMessage, { ...line, at: clock.now });
  }
  const muted = [channel_id, silencesMax - 1, clock.now];
  await onDatabaseOf(service, async (sql) => sql.run(muteMany, muted));
  return { service, channel_id };
});

/** Of as many that come one by one each is counted with all before it. */
const muteMany = `INSERT INTO chat_silences (channel_id, viewer_id, kind, created_at)
  WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < $2)
  SELECT $1, 'a viewer who was muted, with a long name of their own: ' || at, 'mute', $3 FROM n`;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  const made: { value?: Promise<T> } = {};
  return () => {
    made.value ??= make();
    return made.value;
  };
}
