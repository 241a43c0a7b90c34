// The catalogue of events: of each type what it tells and who may read it. Types, OpenAPI and documents follow from it.
import * as z from 'zod';
import type { Scope } from '../../base/api/caller.ts';
import type { DescribedEvent } from '../../base/api/openapi.ts';
import { isoTime } from '../../base/lib/time.ts';
import { type Feed, sessionsPerEvent } from './event-feed.ts';
import { testType } from './event-text.ts';

interface EventKind<Data extends z.ZodObject> {
  /** Who follows events sees those that the scope lets them read. */
  scope: Scope;
  /** When it is told, in one sentence. */
  sentence: string;
  data: Data;
  example: z.output<Data>;
}

/** Keeps the type of the data. */
function kind<Data extends z.ZodObject>(given: EventKind<Data>): EventKind<Data> {
  return given;
}

const described = <T extends z.ZodType>(type: T, description: string): T =>
  type.meta({ description });
const id = (description: string) => described(z.int(), description);
const instant = (description: string) =>
  z.string().meta({ description: `${description}; ISO 8601, in UTC`, format: 'date-time' });

const channel = {
  channel_id: id('channel id'),
  name: described(z.string(), 'its name'),
  manager_id: id('id of its manager; 0 for none'),
};
const channelExample = { channel_id: 112, name: 'Product launch', manager_id: 0 };

const begun = {
  channel_id: id('channel id'),
  show_id: id('show id, as the report and the exports of the show take it'),
  begin: instant('when its first part could be played'),
};
const ended = { ...begun, end: instant('when it was live no more') };
const begunExample = { channel_id: 112, show_id: 40, begin: '2026-05-01T19:29:58.204Z' };
const endedExample = { ...begunExample, end: '2026-05-01T19:31:30.017Z' };

const video = {
  video_id: id('video id'),
  channel_id: id('channel id'),
  name: described(z.string(), 'title of the video'),
};
const videoExample = { video_id: 215, channel_id: 112, name: 'Product launch 2026-05-01' };

export const videoSources = ['push', 'clip', 'upload', 'import'] as const;
export type VideoSource = (typeof videoSources)[number];

const restored = described(
  z.boolean(),
  'whether it had been deleted and was brought back, with all that it had',
);

export const eventKinds = {
  'channel.created': kind({
    scope: 'channels:read',
    sentence:
      'A channel was created, or a deleted one was brought back: then its videos are back with it, and are not told one by one.',
    data: z.object({ ...channel, restored }),
    example: { ...channelExample, restored: false },
  }),
  'channel.updated': kind({
    scope: 'channels:read',
    sentence: 'The name, the page settings, the manager or the publish key of a channel changed.',
    data: z.object({
      ...channel,
      changed: described(
        z.array(z.string()),
        'what changed: `name`, `manager`, `publish_key`, or names of page settings; no values, and never the key',
      ),
    }),
    example: { ...channelExample, changed: ['name'] },
  }),
  'channel.deleted': kind({
    scope: 'channels:read',
    sentence:
      'A channel was deleted, and its videos with it, which are not told one by one. It can be brought back for some days.',
    data: z.object(channel),
    example: channelExample,
  }),
  'channel.live': kind({
    scope: 'channels:read',
    sentence: 'A channel is live: the first part of its show can be played.',
    data: z.object(begun),
    example: begunExample,
  }),
  'channel.offline': kind({
    scope: 'channels:read',
    sentence:
      'A channel is live no more. Where a service was killed it is told by the next start, with the last moment that the show was known to be on.',
    data: z.object(ended),
    example: endedExample,
  }),
  'show.ended': kind({
    scope: 'audience:read',
    sentence:
      'A show has ended and was counted, a minute or two after its end; once for each show, also where nobody watched. Who watched it: `GET /manage/v1/channels/{channel_id}/shows/{show_id}/people.ndjson`.',
    data: z.object({
      ...ended,
      video_ids: described(z.array(z.int()), 'videos that it became so far'),
      figures: z.object({
        peak: id('most viewers at once'),
        average: described(z.number(), 'viewers at once on average, to a hundredth'),
        uv: id('viewers'),
        pv: id('their sessions'),
        watch_seconds: id('all viewers together; what one watched in two tabs at once counts once'),
      }),
    }),
    example: {
      ...endedExample,
      video_ids: [215],
      figures: { peak: 2, average: 1.7, uv: 3, pv: 4, watch_seconds: 156 },
    },
  }),
  'video.created': kind({
    scope: 'videos:read',
    sentence:
      'A video was made: of a push, a clip, an upload or an import; or a deleted one was brought back.',
    data: z.object({
      ...video,
      source: described(z.enum(videoSources), 'what it was made of'),
      restored,
    }),
    example: { ...videoExample, source: 'push', restored: false },
  }),
  'video.ready': kind({
    scope: 'videos:read',
    sentence:
      'All files of a video are made that will be; it follows each `video.created`, and each retry of a file that had failed.',
    data: z.object({
      ...video,
      failed: described(
        z.array(z.string()),
        'files that could not be made: `mp4`, `cover`, `480`, `720` or `1080`',
      ),
    }),
    example: { ...videoExample, failed: [] },
  }),
  'video.deleted': kind({
    scope: 'videos:read',
    sentence: 'A video was deleted by itself, or was kept for as long as videos are.',
    data: z.object({
      ...video,
      reason: described(
        z.enum(['deleted', 'retention']),
        'deleted: by somebody, and can be brought back for some days. retention: as old as a video may become',
      ),
    }),
    example: { ...videoExample, reason: 'deleted' },
  }),
  'audience.session.ended': kind({
    scope: 'audience:read',
    sentence:
      'Sessions of a channel are over: their pages left and did not come back within half a minute. Up to 1,000 in one event, in an order of their own.',
    data: z.object({
      channel_id: id('channel id'),
      sessions: described(
        z.array(z.int()).max(sessionsPerEvent),
        'ids of the sessions, as in the watch records',
      ),
    }),
    example: { channel_id: 112, sessions: [90_211, 90_214] },
  }),
  'job.failed': kind({
    scope: 'videos:read',
    sentence: 'A file of a video could not be made, and is given up until somebody retries it.',
    data: z.object({
      job_id: id('job id'),
      kind: described(z.string(), 'which file: `mp4`, `cover`, `480`, `720` or `1080`'),
      video_id: id('video id'),
      channel_id: id('channel id'),
      tries: id('how often it was begun'),
      problem: described(z.string(), 'why the last try failed'),
    }),
    example: {
      job_id: 31,
      kind: '720',
      video_id: 215,
      channel_id: 112,
      tries: 3,
      problem: 'it took longer than it may',
    },
  }),
} as const;

/** Told to a webhook that is tried out, and to nobody else: none asks for it, and it is in no outbox. */
export const testKind = {
  sentence:
    'A webhook was tried out, by its owner or on the command line: nothing has happened. Every webhook may be sent it; none asks for it, and nobody who follows events gets it.',
  data: z.object({ webhook_id: id('webhook id') }),
  example: { webhook_id: 3 },
};
export type TestData = z.output<typeof testKind.data>;

export type EventType = keyof typeof eventKinds;
export type EventData<T extends EventType> = z.output<(typeof eventKinds)[T]['data']>;
export const eventTypes = Object.keys(eventKinds) as readonly EventType[];

/** An event that is about to be written. `manager_id` is of the channel then, 0 for none: their tokens see no others. */
export type NewEvent = {
  [T in EventType]: { type: T; account_id: number; manager_id: number; data: EventData<T> };
}[EventType];

/** As the outbox keeps it. */
export interface EventRow {
  account_id: number;
  feed: Feed;
  seq: number;
  /** `evt_…`: the same however often it is told. */
  id: string;
  type: EventType;
  channel_id: number;
  manager_id: number;
  at: number;
  /** As JSON. */
  data: string;
}

export { eventText } from './event-text.ts';

/** What `eventText` tells, as a schema. */
export function eventSchema(type: EventType) {
  const { data, sentence } = eventKinds[type];
  return z
    .object({ type: z.literal(type), timestamp: writtenAt, data })
    .meta({ description: sentence });
}

const writtenAt = instant('when it was written');

function testSchema() {
  const { data, sentence } = testKind;
  return z
    .object({ type: z.literal(testType), timestamp: writtenAt, data })
    .meta({ description: sentence });
}

/** An event as those who follow are told it. */
export interface FollowedEvent {
  id: string;
  type: EventType;
  timestamp: string;
  data: EventData<EventType>;
}

export function followedEvent({ id, type, at, data }: EventRow): FollowedEvent {
  return { id, type, timestamp: isoTime(at), data: JSON.parse(data) };
}

/** The catalogue as OpenAPI has it: what a webhook is sent. */
export function describedEvents(): DescribedEvent[] {
  const timestamp = '2026-05-01T19:31:30.017Z';
  const told = eventTypes.map((type) => {
    const { sentence, example } = eventKinds[type];
    const body = eventSchema(type);
    return { type, sentence, body, example: { type, timestamp, data: example }, isAskedFor: true };
  });
  const { sentence, example: data } = testKind;
  const body = testSchema();
  const example = { type: testType, timestamp, data };
  return [...told, { type: testType, sentence, body, example, isAskedFor: false }];
}
