// Who may what: every operation of the route table against every kind of caller.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { addMessage, silence } from '../src/audience/chat/chat-store.ts';
import { viewerSecretOf } from '../src/audience/viewers/viewer-secret-store.ts';
import { holds, managerScopes, scopes } from '../src/base/api/caller.ts';
import type { ApiError } from '../src/base/api/errors.ts';
import { isAlwaysAudited, successOf } from '../src/base/api/route.ts';
import { readNodeName } from '../src/base/nodes/node-name.ts';
import { readConfig } from '../src/config.ts';
import { makeToken } from '../src/library/access/token.ts';
import { createToken, listTokens, revokeToken } from '../src/library/access/token-store.ts';
import { register } from '../src/library/admission/registration-store.ts';
import { restoreVideo } from '../src/library/deletion/deleted-video-store.ts';
import { claimJob, failJob, listJobs } from '../src/library/jobs/job-store.ts';
import { invitePerson } from '../src/library/people/console-link-store.ts';
import { makeConsoleSecret } from '../src/library/people/console-secret.ts';
import { sessionsOf, startSession } from '../src/library/people/console-session-store.ts';
import { findByUserName, removePerson } from '../src/library/people/person-store.ts';
import { createWebhook, removeWebhook } from '../src/library/webhooks/webhook-store.ts';
import { endLive, startLive } from '../src/stream/live/live-store.ts';
import { recordingFolder } from '../src/stream/recording/recording-folder.ts';
import { addRecording } from '../src/stream/recording/recording-store.ts';
import { engines } from './support/engines.ts';
import { clipPackets } from './support/media.ts';
import { callByCookie, cookieOf, goodPassword, signIn, signUp } from './support/people.ts';
import { fileOf, png } from './support/pictures.ts';
import { recordPush } from './support/recorded-push.ts';
import { addJob, addVideos, addVisits, expectError, onDatabaseOf } from './support/scenarios.ts';
import { type Reply, startTestService, type TestService } from './support/service.ts';
import { beginHeaders, pieceOf, tusHeaders } from './support/uploads.ts';

/** What is anna's: a manager of the first account, its channel, its video, its person and what was made for it. */
interface Held {
  channel: number;
  show: number;
  video: number;
  anna: number;
  person: number;
  session: number;
  invitation: number;
  link: string;
  manager: number;
  token: number;
  /** Of the account, with one delivery. */
  webhook: number;
  delivery: number;
  job: number;
  /** Of a file for anna's channel. */
  upload: string;
  /** What the account signs links with. */
  secret: string;
}

interface Asked {
  /** What an answer uses up is made anew before each asking. */
  prepare?(service: TestService, held: Held): Promise<void>;
  path(held: Held): string;
  /** What the account asks for before each call and after it, where a call changes what the next one finds. */
  before?(held: Held): [method: string, path: string];
  after?(held: Held): [method: string, path: string];
  send?(held: Held): object;
  headers?(held: Held): Record<string, string>;
  /** What a caller who may not see anna's things is told; undefined for lists, which show them nothing. */
  refused?: { status: number; code: number };
  /** What the other manager is told, where it is not what a stranger is told. */
  refusedToManager?: { status: number; code: number };
  /** What the account's own people are told, where anna's things are hers alone. */
  refusedToAccount?: { status: number; code: number };
  /** What a token without any scope is told, where what is shown follows from scopes and none is needed. */
  refusedWithoutScope?: { status: number; code: number };
  /** What those who may are told, where there is nothing to show. */
  told?: { status: number; code: number };
  /** Names of what an answer shows. */
  names(reply: Reply, held: Held): string[];
  /** Names the account sees, anna sees, and those who may not see anna's things see. */
  account: string[];
  manager: string[];
  others: string[];
}

const noChannel = { status: 404, code: 404002 };
const noVideo = { status: 404, code: 404003 };
const noUser = { status: 404, code: 404001 };
const noPerson = { status: 404, code: 404011 };
const noSession = { status: 404, code: 404012 };
const noUpload = { status: 404, code: 404015 };
const noToken = { status: 404, code: 404013 };
const noWebhook = { status: 404, code: 404016 };
const noAccess = { status: 403, code: 403001 };
const noPermission = { status: 403, code: 403002 };

const noon = '2026-05-04 12:00:00';

const oneName = ({ body }: Reply) => [body.name];
const anna = { account: ['annas'], manager: ['annas'], others: [] };

/** Of anna's viewers, beyond her channel: nobody but the account holds the scope and sees the channel. */
const managed = { refused: noChannel, refusedToManager: noAccess, manager: [], others: [] };
/** A show on anna's channel, which she runs as the account does. */
const ran = (names: string[]) => ({
  refused: noChannel,
  account: names,
  manager: names,
  others: [],
});

/** The one show of anna's channel. */
const shown = { account: [noon], manager: [noon], others: [] };
const showBegins = ({ body }: Reply) => body.shows.map(({ begin }: { begin: string }) => begin);

const deleted = ({ channel }: Pick<Held, 'channel'>): [string, string] => [
  'DELETE',
  `/v1/activities/${channel}`,
];
const restored = ({ channel }: Pick<Held, 'channel'>): [string, string] => [
  'POST',
  `/manage/v1/channels/${channel}/restore`,
];

/** What was done to anna's channel, in the account's own log. */
const audited = { refusedToManager: noAccess, account: ['annas'], manager: [], others: [] };

/** An export of the channel, whose lines hold the one viewer. */
const exported = (file: string): Asked => ({
  ...ran(['viewer']),
  path: ({ channel }) => `/manage/v1/channels/${channel}/${file}`,
  names: ({ text }) => text.match(/\bviewer\b/g) ?? [],
});

/** An export of anna's show, which nobody watched: its head alone. */
const showExport = (file: string, head: string): Asked => ({
  ...ran([head]),
  path: ({ channel, show }) => `/manage/v1/channels/${channel}/shows/${show}/${file}`,
  names: ({ text }) => [/^(\w+,)/.exec(text)?.[1] ?? ''],
});

/** Who may watch anna's channel, or her video: those who have a link, once that was said. */
const signedOnly = async (service: TestService, kind: string, id: number) => {
  const path = `/manage/v1/${kind}/${id}/access`;
  await service.call('PUT', path, { body: { kind: 'signed' } });
};
const accessOf = (word: string, send: object | undefined): Asked => ({
  ...ran(['signed']),
  prepare: (service, { channel }) => signedOnly(service, 'channels', channel),
  path: ({ channel }) => `/manage/v1/channels/${channel}/${word}`,
  ...(send && { send: () => send }),
  names: ({ body }) => [body.kind],
});
const videoAccessOf = (word: string, send: object | undefined): Asked => ({
  ...{ refused: noVideo, account: ['signed'], manager: ['signed'], others: [] },
  prepare: (service, { video }) => signedOnly(service, 'videos', video),
  path: ({ video }) => `/manage/v1/videos/${video}/${word}`,
  ...(send && { send: () => send }),
  names: ({ body }) => [body.kind],
});

/** Somebody who fills the form of what is anna's in. */
const oneRegistered = async (
  { store }: TestService,
  channel_id: number,
  thing: 'c' | 'v',
  id: number,
) => {
  await store.perform(register, {
    ...{ channel_id, thing: `${thing}${id}`, viewer_id: 'guest', id: `of ${thing}${id}` },
    ...{ names: ['name'], answers: { name: 'annas' }, now: 1 },
  });
};
const registeredForChannel = (file: string): Asked => ({
  ...ran(['annas']),
  prepare: (service, { channel }) => oneRegistered(service, channel, 'c', channel),
  path: ({ channel }) => `/manage/v1/channels/${channel}/registrations${file}`,
  names: ({ text }) => [...new Set(text.match(/\bannas\b/g))],
});
const registeredForVideo = (file: string): Asked => ({
  ...{ refused: noVideo, account: ['annas'], manager: ['annas'], others: [] },
  prepare: (service, { channel, video }) => oneRegistered(service, channel, 'v', video),
  path: ({ video }) => `/manage/v1/videos/${video}/registrations${file}`,
  names: ({ text }) => [...new Set(text.match(/\bannas\b/g))],
});
/** Of anna's video, which has some in English and some that may be removed. */
const englishCaptions = fileOf(Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nhi'), 'text/vtt');
const captionsOf = (given: Pick<Asked, 'names'> & Partial<Asked>): Asked => ({
  ...{ refused: noVideo, account: ['en'], manager: ['en'], others: [] },
  prepare: async ({ call }, { video }) => {
    for (const language of ['en', 'de'])
      await call('PUT', `/manage/v1/videos/${video}/captions/${language}`, {
        body: englishCaptions,
      });
  },
  path: ({ video }) => `/manage/v1/videos/${video}/captions`,
  ...given,
});
const languagesIn = (body: { captions: { language: string }[] }) =>
  body.captions.map(({ language }) => language).filter((language) => language !== 'de');

const oneCode = async (call: TestService['call'], thing: string) => {
  await call('POST', `/manage/v1/${thing}/access/codes`, { body: { note: 'annas' } });
};

/** A word of moderation; what it is said of is shown. */
const moderated = (word: string, send: object, names: string[]): Asked => ({
  ...ran(names),
  path: ({ channel }) => `/manage/v1/channels/${channel}/chat/${word}`,
  send: () => send,
  names: ({ body }) =>
    'open' in body
      ? [`open ${body.open}`]
      : 'slow_seconds' in body
        ? [`slow_seconds ${body.slow_seconds}`]
        : (body.silences ?? body.removed).map((one: { kind?: string }) => one.kind ?? String(one)),
});

/** What anyone may ask for is answered to all alike. */
function forAnyone(path: string, send: (held: Held) => object, name: string): Asked {
  const names = [name];
  return {
    path: () => `/manage/v1/${path}`,
    send,
    names: ({ body }) => [body.result ?? body.manager?.username],
    account: names,
    manager: names,
    others: names,
  };
}

/** Who asks for these is shown nobody but themselves. */
const hersAlone = { account: [], manager: ['anna'], others: [] };

function annaIn({ body }: Reply): string[] {
  return body.manager?.username === 'anna' ? ['anna'] : [];
}

/** On a person of anna's. */
function onPerson(word: string) {
  return {
    ...managed,
    path: ({ person }: Held) => `/manage/v1/people/${person}/${word}`,
    send: () => ({}),
    refused: noPerson,
  };
}

async function inviteAnna({ store, clock }: TestService, held: Held): Promise<void> {
  const order = { account_id: 1, manager_id: held.anna, name: '', now: clock.now };
  const { id, secret } = await store.perform(invitePerson, order);
  held.invitation = id;
  held.link = secret;
}

/** Of anna's person, by another browser; the one that is there, where there is one. */
async function anotherSession({ store, clock }: TestService, held: Held): Promise<void> {
  const { now } = clock;
  const { id: person_id = 0, password_hash = '' } = (await findByUserName(store, 'anna')) ?? {};
  const there = (await sessionsOf(store, { person_id, now })).find(({ id }) => id === held.session);
  if (there) return;
  const session = {
    hash: `of a session ${crypto.randomUUID()}`,
    address: '192.0.2.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    now,
    expires_at: now + 86_400_000,
  };
  held.session = await store.perform(startSession, { person_id, password_hash, session });
}

async function anotherPerson(service: TestService, held: Held): Promise<void> {
  const user_name = `person ${crypto.randomUUID()}`;
  held.person = (await signUp(service, { user_name, manager_id: held.anna })).id;
}

/** Anna's video as one that lies on the disk of the service. */
async function recordAnnas(service: TestService, { video }: Held): Promise<void> {
  const { dataDir } = readConfig(service.settings);
  const recording = `of-${video}`;
  const folder = recordingFolder(dataDir, recording);
  if (existsSync(folder)) return;
  await recordPush(folder, clipPackets(2));
  const node = await readNodeName(dataDir);
  await onDatabaseOf(service, async (sql) => {
    await sql.run('UPDATE videos SET recording = $2, recording_node = $3 WHERE id = $1', [
      video,
      recording,
      node,
    ]);
  });
}

/** The one that is there, or another: what has begun has a bound. */
async function annasUpload(service: TestService, held: Held): Promise<void> {
  const there = await service.call('GET', `/manage/v1/uploads/${held.upload}`);
  if (there.status === 200) return;
  const headers = beginHeaders({ channel_id: held.channel, name: 'file' }, 10);
  held.upload = (await service.call('POST', '/manage/v1/uploads', { headers })).body.id;
}

/** By tus, of which nothing has come. */
const onUpload = {
  prepare: annasUpload,
  path: ({ upload }: Held) => `/manage/v1/uploads/${upload}`,
  headers: () => tusHeaders,
  refused: noUpload,
  account: ['0'],
  manager: ['0'],
  others: [],
};

async function bringVideoBack({ store, clock }: TestService, { video: id }: Held): Promise<void> {
  const owner = { account_id: 1, manager_id: 0 };
  await store.perform(restoreVideo, { id, owner, keptMs: 86_400_000, now: clock.now });
}

/** The one job of anna's video. */
async function failMp4(service: TestService, { video: video_id }: Held): Promise<void> {
  await addJob(service, { video_id, kind: 'mp4', state: 'failed', problem: 'lost' });
}

/** One entry for each operation of the route table; each asks for what is anna's. */
const operations: Record<string, Asked> = {
  listChannels: {
    path: () => '/v1/activities',
    names: ({ body }) => body.activities.map(({ name }: { name: string }) => name),
    account: ['accounts', 'annas'],
    manager: ['annas'],
    others: [],
  },
  createChannel: {
    path: () => '/v1/activities',
    send: (held) => ({ name: 'made for anna', act_manager_id: held.anna }),
    refused: noUser,
    refusedToManager: noPermission,
    names: oneName,
    account: ['made for anna'],
    manager: ['made for anna'],
    others: [],
  },
  getChannel: {
    path: ({ channel }) => `/v1/activities/${channel}`,
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  renameChannel: {
    path: ({ channel }) => `/v1/activities/${channel}`,
    send: () => ({ name: 'annas' }),
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  changeChannelPage: {
    path: ({ channel }) => `/v1/activities/${channel}/page`,
    send: () => ({ footer: 'kept' }),
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  previewPage: {
    path: ({ channel }) => `/manage/v1/channels/${channel}/page/preview`,
    send: () => ({ footer: 'not kept' }),
    refused: noChannel,
    names: ({ body }) => [/<title>(.*)<\/title>/.exec(body.html)?.[1] ?? ''],
    ...anna,
  },
  uploadImage: {
    path: ({ channel }) => `/manage/v1/channels/${channel}/images`,
    send: () => fileOf(png({ width: 2, height: 1 })),
    refused: noChannel,
    names: ({ body }) => [`${body.width} × ${body.height}`],
    account: ['2 × 1'],
    manager: ['2 × 1'],
    others: [],
  },
  describeUploads: {
    path: () => '/manage/v1/uploads',
    names: ({ headers }) => [headers.get('tus-version') ?? ''],
    account: ['1.0.0'],
    manager: ['1.0.0'],
    others: ['1.0.0'],
  },
  beginUpload: {
    path: () => '/manage/v1/uploads',
    headers: ({ channel }) => beginHeaders({ channel_id: channel, name: 'file' }, 10),
    refused: noChannel,
    names: oneName,
    account: ['file'],
    manager: ['file'],
    others: [],
  },
  listUploads: {
    prepare: annasUpload,
    path: ({ channel }) => `/manage/v1/uploads?channel_id=${channel}`,
    names: ({ body }) => [
      ...new Set<string>(body.uploads.map(({ name }: { name: string }) => name)),
    ],
    account: ['file'],
    manager: ['file'],
    others: [],
  },
  getUpload: {
    prepare: annasUpload,
    path: ({ upload }) => `/manage/v1/uploads/${upload}`,
    refused: noUpload,
    names: oneName,
    account: ['file'],
    manager: ['file'],
    others: [],
  },
  findOffset: { ...onUpload, names: ({ headers }) => [headers.get('upload-offset') ?? ''] },
  continueUpload: {
    ...onUpload,
    headers: () => ({ ...tusHeaders, 'upload-offset': '0' }),
    send: () => pieceOf(''),
    names: ({ headers }) => [headers.get('upload-offset') ?? ''],
  },
  endUpload: { ...onUpload, names: ({ text }) => [text === '' ? '0' : text] },
  rotatePublishKey: {
    path: ({ channel }) => `/manage/v1/channels/${channel}/rotate-key`,
    send: () => ({}),
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  getChannelAccess: accessOf('access', undefined),
  setChannelAccess: accessOf('access', { kind: 'signed' }),
  revokeChannelPasses: accessOf('access/revoke', {}),
  makeChannelCodes: {
    ...ran(['annas']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/access/codes`,
    send: () => ({ note: 'annas' }),
    names: ({ body }) => (body.codes ? ['annas'] : []),
  },
  listChannelCodes: {
    ...ran(['annas']),
    prepare: ({ call }, { channel }) => oneCode(call, `channels/${channel}`),
    path: ({ channel }) => `/manage/v1/channels/${channel}/access/codes?perPage=1`,
    names: ({ body }) => body.codes.map(({ note }: { note: string }) => note),
  },
  listChannelRegistrations: registeredForChannel(''),
  exportChannelRegistrationsCsv: registeredForChannel('.csv'),
  exportChannelRegistrationsNdjson: registeredForChannel('.ndjson'),
  makeChannelPlayLink: {
    ...ran(['annas']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/play-link`,
    send: () => ({}),
    names: ({ body }, { channel }) =>
      body.watch_url?.pc.includes(`/watch/${channel}`) ? ['annas'] : [],
  },
  deleteChannel: {
    path: ({ channel }) => `/v1/activities/${channel}`,
    after: restored,
    refused: noChannel,
    names: ({ body }) => [body.result],
    account: ['success'],
    manager: ['success'],
    others: [],
  },
  restoreChannel: {
    ...managed,
    before: deleted,
    path: ({ channel }) => restored({ channel })[1],
    send: () => ({}),
    after: restored,
    names: oneName,
    account: ['annas'],
  },
  listDeletedChannels: {
    before: deleted,
    path: () => '/manage/v1/deleted-channels',
    after: restored,
    refusedToManager: noAccess,
    names: ({ body }) => body.channels.map(({ name }: { name: string }) => name),
    account: ['annas'],
    manager: [],
    others: [],
  },
  getWatchRecords: {
    path: ({ channel }) => `/v1/activities/${channel}/userRecords`,
    send: () => ({ filter_watch_time: 0 }),
    refused: noChannel,
    names: ({ body }) => body.map(({ user_id }: { user_id: string }) => user_id),
    account: ['viewer'],
    manager: ['viewer'],
    others: [],
  },
  getReport: {
    path: ({ channel }) => `/v1/activities/${channel}/report`,
    refused: noChannel,
    names: showBegins,
    ...shown,
  },
  listShows: {
    path: ({ channel }) => `/manage/v1/channels/${channel}/shows`,
    refused: noChannel,
    names: showBegins,
    ...shown,
  },
  getShowAudience: {
    path: ({ channel, show }) => `/manage/v1/channels/${channel}/shows/${show}/audience`,
    refused: noChannel,
    names: ({ body }) => [`show ${body.uv}`],
    account: ['show 0'],
    manager: ['show 0'],
    others: [],
  },
  exportShowMinutes: showExport('report.csv', 'minute,'),
  exportShowPeople: showExport('people.csv', 'user_id,'),
  // Nobody watched it, so the file is empty: its name tells.
  exportShowPeopleNdjson: {
    ...showExport('people.ndjson', 'people.ndjson'),
    names: ({ headers }) =>
      /show-\d+-(people\.ndjson)/.exec(headers.get('content-disposition') ?? '')?.slice(1) ?? [],
  },
  getVisitors: {
    path: ({ channel }) => `/v1/activities/${channel}/visitors`,
    send: () => ({}),
    refused: noChannel,
    names: ({ body }) => body.map(({ visitor_id }: { visitor_id: string }) => visitor_id),
    account: ['viewer'],
    manager: ['viewer'],
    others: [],
  },
  listSessions: {
    ...ran(['viewer']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/sessions?filter_watch_time=0&q=VIEW`,
    names: ({ body }) => body.sessions.map(({ user_id }: { user_id: string }) => user_id),
  },
  listVisitors: {
    ...ran(['viewer']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/visitors`,
    names: ({ body }) => body.visitors.map(({ visitor_id }: { visitor_id: string }) => visitor_id),
  },
  getViewer: {
    ...ran(['viewer']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/viewers/viewer`,
    names: ({ body }) => [body.viewer.visitor_id],
  },
  followEvents: {
    ...anna,
    refusedWithoutScope: noAccess,
    path: () => '/manage/v1/events?types=channel.created&last_event_id=0.0',
    names: ({ text }) => [...new Set(text.match(/\bannas\b/g) ?? [])],
  },
  listEvents: {
    ...anna,
    refusedWithoutScope: noAccess,
    path: () => '/manage/v1/events/list?types=channel.created',
    names: ({ text }) => [...new Set(text.match(/\bannas\b/g) ?? [])],
  },
  listAudit: {
    ...audited,
    path: () => '/manage/v1/audit?group=channels&q=annas&perPage=200',
    names: ({ body }) => [
      ...new Set<string>(
        body.entries.map(({ target }: { target: { name: string } }) => target.name),
      ),
    ],
  },
  exportAudit: {
    ...audited,
    path: () => '/manage/v1/audit.csv?group=channels&q=annas',
    names: ({ text }) => [...new Set(text.match(/\bannas\b/g) ?? [])],
  },
  exportSessionsCsv: exported('sessions.csv'),
  exportSessionsNdjson: exported('sessions.ndjson'),
  exportVisitorsCsv: exported('visitors.csv'),
  exportVisitorsNdjson: exported('visitors.ndjson'),
  exportViewer: {
    ...managed,
    path: () => '/manage/v1/viewers/export',
    send: ({ channel }) => ({ viewer_id: 'viewer', channel_id: channel }),
    names: ({ text }) => text.match(/(?<="table":")\w+/g) ?? [],
    account: ['chat_messages', 'sessions', 'visitors'],
  },
  eraseViewer: {
    ...managed,
    path: () => '/manage/v1/viewers/erase',
    send: ({ channel }) => ({ viewer_id: 'somebody', channel_id: channel }),
    names: ({ body }) => [body.viewer_id],
    account: ['somebody'],
  },
  getChat: {
    ...ran(['hello']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat`,
    names: ({ body }) => body.messages.map(({ text }: { text: string }) => text),
  },
  listChannelStates: {
    path: () => '/manage/v1/channels',
    // Those that were made since, by whoever may, are as many as there are such callers.
    names: ({ body }) => [
      ...new Set<string>(body.channels.map(({ name }: { name: string }) => name)),
    ],
    account: ['accounts', 'annas', 'made for anna'],
    manager: ['annas', 'made for anna'],
    others: [],
  },
  getChannelLive: {
    ...ran(['off air']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/live`,
    names: ({ body }) => [body.on_air ? 'on air' : 'off air'],
  },
  removeChatMessages: moderated('remove', { ids: [99] }, []),
  openChat: moderated('open', {}, ['open true']),
  closeChat: moderated('close', {}, ['open false']),
  slowChat: moderated('slow', { seconds: 30 }, ['slow_seconds 30']),
  listPresent: {
    ...ran(['0']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/present`,
    names: ({ body }) => [String(body.meta.total)],
  },
  getPicture: {
    ...ran([]),
    path: ({ channel }) => `/manage/v1/channels/${channel}/picture.jpg`,
    told: { status: 404, code: 404006 },
    names: () => [],
  },
  sayInChat: {
    ...ran(['by the host']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat/say`,
    send: () => ({ text: 'by the host' }),
    names: ({ body }) => [body.text],
  },
  pinChatMessage: {
    ...ran(['hello']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat/pin`,
    send: () => ({ id: 1 }),
    names: ({ body }) => [body.pinned.text],
  },
  unpinChatMessage: {
    ...ran(['none']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat/unpin`,
    send: () => ({}),
    names: ({ body }) => [body.pinned === null ? 'none' : 'some'],
  },
  muteViewer: moderated('mute', { viewer_id: 'somebody' }, ['mute']),
  banViewer: moderated('ban', { viewer_id: 'another' }, ['ban']),
  liftSilence: moderated('lift', { viewer_id: 'somebody', kind: 'mute' }, []),
  listSilences: {
    ...ran(['mute']),
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat/silences`,
    names: ({ body }) => body.silences.map(({ kind }: { kind: string }) => kind),
  },
  listVideos: {
    path: () => '/v1/videos',
    // A recording is named by its channel and when it began.
    names: ({ body }) => [
      ...new Set<string>(body.videos.map(({ name }: { name: string }) => name.trim())),
    ],
    account: ['accounts', 'annas'],
    manager: ['annas'],
    others: [],
  },
  getVideo: {
    path: ({ video }) => `/v1/videos/${video}`,
    refused: noVideo,
    names: oneName,
    ...anna,
  },
  makeClip: {
    prepare: recordAnnas,
    path: ({ channel }) => `/manage/v1/channels/${channel}/clips`,
    send: ({ video }) => ({ video_id: video, from_ms: 0, to_ms: 1_000, name: 'annas' }),
    refused: noChannel,
    names: ({ body }) => [`from ${body.from_ms}`],
    account: ['from 0'],
    manager: ['from 0'],
    others: [],
  },
  deleteVideo: {
    prepare: bringVideoBack,
    path: ({ video }) => `/manage/v1/videos/${video}`,
    refused: noVideo,
    names: ({ body }) => [body.result],
    account: ['success'],
    manager: ['success'],
    others: [],
  },
  listDeletedVideos: {
    path: () => '/manage/v1/deleted-videos',
    names: ({ body }) => body.videos.map(({ name }: { name: string }) => name),
    ...anna,
  },
  restoreVideo: {
    path: ({ video }) => `/manage/v1/videos/${video}/restore`,
    send: () => ({}),
    refused: noVideo,
    names: oneName,
    ...anna,
  },
  listManagedVideos: {
    path: () => '/manage/v1/videos',
    // Clips that were made since are called as what they were cut from.
    names: ({ body }) => [
      ...new Set<string>(body.videos.map(({ name }: { name: string }) => name.trim())),
    ],
    account: ['accounts', 'annas'],
    manager: ['annas'],
    others: [],
  },
  getManagedVideo: {
    path: ({ video }) => `/manage/v1/videos/${video}`,
    refused: noVideo,
    names: oneName,
    ...anna,
  },
  renameVideo: {
    path: ({ video }) => `/manage/v1/videos/${video}`,
    send: () => ({ name: 'annas' }),
    refused: noVideo,
    names: oneName,
    ...anna,
  },
  getVideoAccess: videoAccessOf('access', undefined),
  setVideoAccess: videoAccessOf('access', { kind: 'signed' }),
  revokeVideoPasses: videoAccessOf('access/revoke', {}),
  listCaptions: captionsOf({ names: ({ body }) => languagesIn(body) }),
  setCaptions: captionsOf({
    path: ({ video }) => `/manage/v1/videos/${video}/captions/en`,
    send: () => englishCaptions,
    names: ({ body }) => [body.language],
  }),
  getCaptions: captionsOf({
    path: ({ video }) => `/manage/v1/videos/${video}/captions/en`,
    names: ({ text }) => (text.startsWith('WEBVTT') ? ['en'] : []),
  }),
  removeCaptions: captionsOf({
    path: ({ video }) => `/manage/v1/videos/${video}/captions/de`,
    names: ({ body }) => languagesIn(body),
  }),
  makeVideoCodes: {
    path: ({ video }) => `/manage/v1/videos/${video}/access/codes`,
    send: () => ({ note: 'annas' }),
    refused: noVideo,
    names: ({ body }) => (body.codes ? ['annas'] : []),
    ...anna,
  },
  listVideoCodes: {
    prepare: ({ call }, { video }) => oneCode(call, `videos/${video}`),
    path: ({ video }) => `/manage/v1/videos/${video}/access/codes?perPage=1`,
    refused: noVideo,
    names: ({ body }) => body.codes.map(({ note }: { note: string }) => note),
    ...anna,
  },
  listVideoRegistrations: registeredForVideo(''),
  exportVideoRegistrationsCsv: registeredForVideo('.csv'),
  exportVideoRegistrationsNdjson: registeredForVideo('.ndjson'),
  makeVideoPlayLink: {
    path: ({ video }) => `/manage/v1/videos/${video}/play-link`,
    send: () => ({}),
    refused: noVideo,
    names: ({ body }, { video }) => (body.watch_url?.includes(`/videos/${video}`) ? ['annas'] : []),
    ...anna,
  },
  retryVideo: {
    prepare: failMp4,
    path: ({ video }) => `/manage/v1/videos/${video}/retry`,
    send: () => ({ file: 'mp4' }),
    refused: noVideo,
    names: oneName,
    ...anna,
  },
  signIn: forAnyone('sign-in', () => ({ user_name: 'anna', password: goodPassword }), 'anna'),
  signOut: forAnyone('sign-out', () => ({}), 'success'),
  lookAtLink: { ...forAnyone('links/look', ({ link }) => ({ link }), 'anna'), prepare: inviteAnna },
  useLink: {
    ...forAnyone(
      'links/use',
      ({ link, invitation }) => ({ link, user_name: `anna ${invitation}`, password: goodPassword }),
      'anna',
    ),
    prepare: inviteAnna,
  },
  getMe: { path: () => '/manage/v1/me', names: annaIn, ...hersAlone },
  changeMe: { path: () => '/manage/v1/me', send: () => ({}), names: annaIn, ...hersAlone },
  listMySessions: {
    prepare: anotherSession,
    path: () => '/manage/v1/me/sessions',
    names: ({ body }) =>
      body.sessions.some(({ browser }: { browser: string }) => browser === 'Firefox')
        ? ['anna']
        : [],
    ...hersAlone,
  },
  endMySession: {
    prepare: anotherSession,
    path: ({ session }) => `/manage/v1/me/sessions/${session}/end`,
    send: () => ({}),
    refused: noSession,
    refusedToAccount: noSession,
    names: ({ body }) => [body.result],
    account: [],
    manager: ['success'],
    others: [],
  },
  endMyOtherSessions: {
    prepare: anotherSession,
    path: () => '/manage/v1/me/sessions/end-others',
    send: () => ({}),
    names: ({ body }) => (body.ended > 0 ? ['ended'] : []),
    account: [],
    manager: ['ended'],
    others: [],
  },
  listPeople: {
    path: () => '/manage/v1/people',
    names: ({ body }) =>
      body.people
        .map((one: { user_name: string }) => one.user_name)
        .filter((name: string) => /^(anna|ben)$/.test(name)),
    refusedToManager: noAccess,
    account: ['anna', 'ben'],
    manager: [],
    others: [],
  },
  invitePerson: {
    ...managed,
    path: () => '/manage/v1/people/invite',
    send: (held) => ({ manager_id: held.anna }),
    refused: noUser,
    names: ({ body }) => body.link.match(/\/console\/link#/g),
    account: ['/console/link#'],
  },
  withdrawInvitation: {
    ...managed,
    prepare: inviteAnna,
    path: ({ invitation }) => `/manage/v1/people/invitations/${invitation}/withdraw`,
    send: () => ({}),
    refused: { status: 404, code: 404010 },
    names: ({ body }) => [body.result],
    account: ['success'],
  },
  resetPerson: {
    ...onPerson('reset'),
    names: ({ body }) => body.link.match(/\/console\/link#/g),
    account: ['/console/link#'],
  },
  removePerson: {
    ...onPerson('remove'),
    prepare: anotherPerson,
    names: ({ body }) => [body.result],
    account: ['success'],
  },
  endPersonSessions: {
    ...onPerson('end-sessions'),
    prepare: anotherPerson,
    names: ({ body }) => (body.ended > 0 ? ['ended'] : []),
    account: ['ended'],
  },
  listManagers: {
    ...ofTheAccount('managers'),
    names: ({ body }) =>
      body.managers
        .map((one: { username: string }) => one.username)
        .filter((name: string) => /^(anna|ben)$/.test(name)),
    account: ['anna', 'ben'],
  },
  createManager: {
    ...ofTheAccount('managers'),
    send: () => ({ username: `manager ${crypto.randomUUID()}` }),
    names: ({ body }) => body.username.match(/^manager/),
    account: ['manager'],
    others: ['manager'],
  },
  renameManager: {
    ...managed,
    path: (held) => `/manage/v1/managers/${held.anna}`,
    send: () => ({ username: 'anna' }),
    refused: noUser,
    names: ({ body }) => [body.username],
    account: ['anna'],
  },
  removeManager: {
    ...managed,
    prepare: anotherManager,
    path: ({ manager }) => `/manage/v1/managers/${manager}`,
    send: () => ({}),
    refused: noUser,
    names: ({ body }) => [body.result],
    account: ['success'],
  },
  listTokens: {
    ...ofTheAccount('tokens'),
    prepare: annasToken,
    names: ({ body }) =>
      body.tokens.some(({ manager }: { manager: { username: string } | null }) => {
        return manager?.username === 'anna';
      })
        ? ['annas']
        : [],
    account: ['annas'],
  },
  createToken: {
    ...managed,
    path: () => '/manage/v1/tokens',
    send: (held) => ({ name: 'for anna', manager_id: held.anna }),
    refused: noUser,
    names: oneName,
    account: ['for anna'],
  },
  changeToken: {
    ...managed,
    prepare: annasToken,
    path: ({ token }) => `/manage/v1/tokens/${token}`,
    send: () => ({ name: 'named' }),
    refused: noToken,
    names: oneName,
    account: ['named'],
  },
  revokeToken: {
    ...managed,
    prepare: annasToken,
    path: ({ token }) => `/manage/v1/tokens/${token}`,
    send: () => ({}),
    refused: noToken,
    names: ({ body }) => [body.result],
    account: ['success'],
  },
  listWebhooks: {
    ...ofTheAccount('webhooks'),
    prepare: accountsWebhook,
    names: ({ body }) => [
      ...new Set<string>(body.webhooks.map(({ description }: Named) => description)),
    ],
    account: ['the shop'],
  },
  createWebhook: {
    ...ofTheAccount('webhooks'),
    send: () => ({ url: 'http://127.0.0.1:1/', events: ['show.ended'], description: 'the shop' }),
    names: ({ body }) => [body.url],
    account: ['http://127.0.0.1:1/'],
    others: ['http://127.0.0.1:1/'],
  },
  getWebhook: { ...onWebhook(''), names: describedAs, account: ['the shop'] },
  changeWebhook: {
    ...onWebhook(''),
    send: () => ({ enabled: false }),
    names: describedAs,
    account: ['the shop'],
  },
  deleteWebhook: {
    ...onWebhook(''),
    send: () => ({}),
    names: ({ body }) => [body.result],
    account: ['success'],
  },
  rotateWebhookSecret: {
    ...onWebhook('/rotate-secret'),
    send: () => ({}),
    names: describedAs,
    account: ['the shop'],
  },
  testWebhook: {
    ...onWebhook('/test'),
    send: () => ({}),
    names: ({ body }) => [body.type],
    account: ['webhook.test'],
  },
  listDeliveries: {
    ...onWebhook('/deliveries'),
    names: ({ body }) => body.deliveries.map(({ event_id }: { event_id: string }) => event_id),
    account: ['evt_annas'],
  },
  getDelivery: {
    ...onWebhook(''),
    path: ({ webhook, delivery }) => `/manage/v1/webhooks/${webhook}/deliveries/${delivery}`,
    names: ({ body }) => [body.request.body],
    account: ['"annas"'],
  },
  resendDelivery: {
    ...onWebhook(''),
    path: ({ webhook, delivery }) => `/manage/v1/webhooks/${webhook}/deliveries/${delivery}/resend`,
    send: () => ({}),
    names: ({ body }) => [body.event_id],
    account: ['evt_annas'],
  },
  resendDeliveries: {
    ...onWebhook('/resend'),
    send: () => ({ states: ['delivered'] }),
    names: ({ body }) => [`${body.count} again`],
    account: ['1 again'],
  },
  getAccount: { ...ofTheAccount('account'), names: accountIn, account: ['account 1'] },
  changeAccount: {
    ...ofTheAccount('account'),
    send: () => ({}),
    names: accountIn,
    account: ['account 1'],
  },
  getStorage: {
    ...ofTheAccount('storage'),
    names: ({ body }) => body.channels.map(({ name }: { name: string }) => name),
    account: ['annas'],
  },
  listNodes: {
    ...ofTheAccount('nodes'),
    // Who runs an account may know of the nodes what /metrics tells, and of channels their own.
    names: ({ body }) => body.nodes.map(({ state }: { state: string }) => state),
    account: ['there'],
    others: ['there'],
  },
  listJobs: {
    ...ofTheAccount('jobs'),
    names: ({ body }) => [
      ...new Set<string>(
        body.jobs.map(({ video }: { video: { name: string } }) => video.name.trim()),
      ),
    ],
    account: ['annas'],
  },
  retryJob: {
    ...managed,
    prepare: failAnnasJob,
    path: ({ job }) => `/manage/v1/jobs/${job}/retry`,
    send: () => ({}),
    refused: { status: 404, code: 404014 },
    names: ({ body }) => [body.state],
    account: ['waiting'],
  },
  getViewerSecret: {
    ...ofTheAccount('viewer-secret'),
    names: ({ body }, held) => (body.secret === held.secret ? ["the account's"] : []),
    account: ["the account's"],
  },
  rotateViewerSecret: {
    ...ofTheAccount('viewer-secret/rotate'),
    send: () => ({}),
    names: ({ body }) => [typeof body.secret],
    account: ['string'],
    others: ['string'],
  },
};

/** By the first account's own side alone; another's is shown its own. */
function ofTheAccount(path: string) {
  const { refused: _, ...alone } = managed;
  return { ...alone, path: () => `/manage/v1/${path}` };
}

interface Named {
  description: string;
}

/** On a webhook of the first account, which nothing can be sent to from here. */
function onWebhook(word: string) {
  return {
    ...managed,
    prepare: accountsWebhook,
    path: ({ webhook }: Held) => `/manage/v1/webhooks/${webhook}${word}`,
    refused: noWebhook,
  };
}

function describedAs({ body }: Reply): string[] {
  return [body.description];
}

/** Another one, in the place of the last. */
async function accountsWebhook(service: TestService, held: Held): Promise<void> {
  const { store, clock } = service;
  await store.perform(removeWebhook, { id: held.webhook });
  const order = { account_id: 1, url: 'http://192.0.2.1/', description: 'the shop' };
  const more = { events: ['show.ended'] as const, perAccount: 1_000, now: clock.now };
  held.webhook = (await store.perform(createWebhook, { ...order, ...more })).id;
  await onDatabaseOf(service, async (sql) => {
    const row = await sql.one<{ id: number }>(
      `INSERT INTO webhook_deliveries (webhook_id, lane, of_channel, event_id, type, body, state, created_at)
       VALUES ($1, '0.1', 1, 'evt_annas', 'show.ended', '"annas"', 'delivered', $2) RETURNING id`,
      [held.webhook, clock.now],
    );
    held.delivery = row?.id ?? 0;
  });
}

function accountIn({ body }: Reply): string[] {
  return body.id === 1 ? ['account 1'] : [];
}

async function anotherManager(service: TestService, held: Held): Promise<void> {
  held.manager = await service.newManager(`manager ${crypto.randomUUID()}`);
}

async function annasToken({ store, clock }: TestService, held: Held): Promise<void> {
  const order = { account_id: 1, manager_id: held.anna, name: '', scopes: managerScopes };
  const made = await store.perform(createToken, { ...order, now: clock.now, expires_at: null });
  held.token = made.id;
}

const unauthorized = [
  'no token',
  'a malformed token',
  'an unknown token',
  'a revoked token',
  'an expired token',
];

/** What a request carries to say whose it is. */
type Carried = { token: string | null } | { cookie: string };

for (const engine of engines) {
  describe(`tenancy on ${engine.name}`, async () => {
    const many = '1000000';
    const settings = {
      SIGN_INS_PER_PERSON: many,
      SIGN_INS_PER_NETWORK: many,
      // Nobody listens there; nothing leaves this machine.
      WEBHOOK_PRIVATE_TARGETS: '127.0.0.1',
    };
    const service = await startTestService(engine, { settings });
    const { held, tokens, cookies } = await setStage(service);
    afterAll(() => service.stop());

    test('every route has an entry in this table', () => {
      const routed = service.routes.map(({ operationId }) => operationId);
      expect(Object.keys(operations).sort()).toEqual(routed.sort());
    });

    for (const entry of service.routes) {
      const { operationId, method, scope } = entry;
      const asked = operations[operationId];
      if (!asked) continue;
      const ask = async (carried: Carried, headers?: Record<string, string>) => {
        await asked.prepare?.(service, held);
        if (asked.before) await service.call(...asked.before(held));
        const body = asked.send && { body: asked.send(held) };
        const own = asked.headers?.(held);
        const noted = await rowsOf(service, operationId);
        const reply =
          'cookie' in carried
            ? await callByCookie(service, method, asked.path(held), {
                cookie: carried.cookie,
                ...body,
                headers: { ...own, ...headers },
              })
            : await service.call(method, asked.path(held), {
                token: carried.token,
                ...body,
                ...(own && { headers: own }),
              });
        // Nobody signs out here who was signed in.
        const isAnswered = reply.status === successOf(entry) && operationId !== 'signOut';
        const wanted = noted + Number(isAnswered && isAlwaysAudited(entry));
        expect(await rowsOf(service, operationId)).toBe(wanted);
        if (asked.after) await service.call(...asked.after(held));
        return reply;
      };
      // The answer to a HEAD has no body to say more.
      const expectRefusal: typeof expectError = (reply, wanted) => {
        if (method === 'HEAD') expect(reply.status).toBe(wanted.status);
        else expectError(reply, wanted);
      };
      const shows = async (carried: Carried, names: string[]) => {
        const reply = await ask(carried);
        if (asked.told) return expectRefusal(reply, asked.told);
        expect(reply.status).toBe(successOf(entry));
        expect(asked.names(reply, held).sort()).toEqual(names);
      };
      const token = (who: string) => ({ token: tokens[who] ?? null });
      const cookie = (who: string) => ({ cookie: cookies[who] as string });

      describe(operationId, () => {
        if (scope === 'anyone') {
          for (const who of [...unauthorized, 'its manager', 'another account'])
            test(`${who} may: anyone may`, () => shows(token(who), asked.account));
          return;
        }

        // Refusals first: what they must not change is then read by those who may.
        for (const who of unauthorized)
          test(`${who} is unauthorized`, async () => {
            const reply = await ask(token(who));
            expectRefusal(reply, { status: 401, code: 401001 });
            expect(reply.headers.get('www-authenticate')).toBe('Bearer');
          });
        for (const who of ['an ended session', 'an old session', 'a removed person', 'a forgery'])
          test(`the cookie of ${who} is unauthorized`, async () => {
            expectRefusal(await ask(cookie(who)), { status: 401, code: 401001 });
          });
        test('a cookie does not serve another page', async () => {
          const foreign = { origin: `${service.url}1` };
          const reply = await ask(cookie('a person of the account'), foreign);
          expectRefusal(reply, { status: 403, code: 403010 });
        });

        const managerMay =
          scope === 'caller' || scope === 'person' || managerScopes.some((one) => one === scope);
        if (scope === 'person') {
          test('no token may', async () => {
            for (const who of [service.token, tokens['its manager'] as string])
              expectRefusal(await ask({ token: who }), noPermission);
          });
        } else if (scope === 'caller') {
          const refused = asked.refusedWithoutScope;
          test(`a token without any scope may${refused ? ' not' : ''}`, async () => {
            const carried = { token: await service.newToken({ scopes: [] }) };
            if (refused) expectRefusal(await ask(carried), refused);
            else await shows(carried, asked.account);
          });
        } else {
          test(`a token without ${scope} may not`, async () => {
            const without = scopes.filter((one) => !holds([one], scope));
            const reply = await ask({ token: await service.newToken({ scopes: without }) });
            expectRefusal(reply, noAccess);
          });

          test(`a token with ${scope} alone may`, async () => {
            await shows({ token: await service.newToken({ scopes: [scope] }) }, asked.account);
          });

          if (holds(['manage'], scope))
            test('a token with manage alone may, as before there were other scopes', async () => {
              await shows({ token: await service.newToken({ scopes: ['manage'] }) }, asked.account);
            });
        }

        for (const who of ['another account', 'another manager']) {
          const manager = who === 'another manager' ? asked.refusedToManager : undefined;
          const refused = manager ?? asked.refused;
          const told = refused ? `is told ${refused.code}` : 'is shown nothing of it';
          const judge = async (carried: Carried) => {
            if (refused) expectRefusal(await ask(carried), refused);
            else await shows(carried, asked.others);
          };
          if (scope !== 'person') test(`${who} ${told}`, () => judge(token(who)));
          test(`a person of ${who} ${told}`, () => judge(cookie(who)));
        }

        if (scope !== 'person')
          test('the account may', () => shows({ token: service.token }, asked.account));
        const { refusedToAccount } = asked;
        test(`a person of the account ${refusedToAccount ? 'is told they may not' : 'may'}`, async () => {
          const carried = cookie('a person of the account');
          if (refusedToAccount) expectRefusal(await ask(carried), refusedToAccount);
          else await shows(carried, asked.account);
        });
        for (const [who, carried] of [
          ['its manager’s token', token('its manager')],
          ['its manager’s person', cookie('its manager')],
        ] as const) {
          if (scope === 'person' && 'token' in carried) continue;
          test(`${who} may${managerMay ? '' : ' not'}`, async () => {
            if (managerMay) await shows(carried, asked.manager);
            else expectRefusal(await ask(carried), noAccess);
          });
        }
      });
    }

    describe('for all that', () => {
      test('the word Bearer may be written in any case, and nothing else will do', async () => {
        const withHeader = (authorization: string) =>
          service.call('GET', '/v1/activities', { token: null, headers: { authorization } });
        expect((await withHeader(`bearer ${service.token}`)).status).toBe(200);
        expect((await withHeader(`BEARER  ${service.token}`)).status).toBe(200);
        for (const header of [
          service.token,
          `Basic ${service.token}`,
          `Bearer ${service.token} x`,
          `Token ${service.token}`,
          'Bearer',
          'Bearer ',
        ])
          expectError(await withHeader(header), { status: 401, code: 401001 });
      });

      test('a token in the query is no token', async () => {
        const path = `/v1/activities?access_token=${service.token}`;
        expect((await service.call('GET', path, { token: null })).status).toBe(401);
      });

      test('a token ends at the instant it expires', async () => {
        const startedAt = service.clock.now;
        const token = await service.newToken({ expires_at: startedAt + 1_000 });
        const statusAt = async (at: number) => {
          service.clock.now = at;
          return (await service.call('GET', '/v1/activities', { token })).status;
        };
        expect(await statusAt(startedAt + 999)).toBe(200);
        expect(await statusAt(startedAt + 1_000)).toBe(401);
        service.clock.now = startedAt;
      });

      test('a token is revoked at once', async () => {
        const token = await service.newToken();
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(200);
        await revokeNewest(service);
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
      });

      test('a manager’s token never holds manage', async () => {
        const order = { manager_id: held.anna, scopes: ['channels:read', 'manage'] as const };
        expect(await refusal(service.newToken(order))).toBe('noPermission');
      });

      test('no token is made for another account’s manager', async () => {
        const account_id = await service.newAccount();
        const order = { account_id, manager_id: held.anna };
        expect(await refusal(service.newToken(order))).toBe('noUser');
      });
    });
  });
}

/** How often the audit log has an operation. */
async function rowsOf({ store }: TestService, operationId: string): Promise<number> {
  const row = await store.one<{ n: number }>(
    'SELECT COUNT(*) AS n FROM audit_log WHERE operation = $1',
    [operationId],
  );
  return row?.n ?? 0;
}

async function setStage(service: TestService) {
  const manager = await service.newManager('anna');
  const ben = await service.newManager('ben');
  const another = await service.newAccount();
  const tokens: Record<string, string | null> = {
    'its manager': await service.newToken({ manager_id: manager }),
    'another manager': await service.newToken({ manager_id: ben }),
    'another account': await service.newToken({ account_id: another, scopes }),
    'no token': null,
    'a malformed token': `${service.token.slice(0, -1)}${service.token.endsWith('x') ? 'y' : 'x'}`,
    'an unknown token': makeToken(),
    'an expired token': await service.newToken({ expires_at: service.clock.now - 1 }),
    'a revoked token': await service.newToken(),
  };
  await revokeNewest(service);
  const newChannel = async (name: string, token: string) =>
    (await service.call('POST', '/v1/activities', { token, body: { name } })).body.id as number;
  const own = await newChannel('accounts', service.token);
  const channel = await newChannel('annas', tokens['its manager'] as string);
  const at = service.clock.now;
  await addVisits(service, channel, [{ viewer_id: 'viewer', at }]);
  const show = { channel_id: channel, begin_at: at, end_at: null, media_ms: 0, anchors: '[]' };
  await service.store.perform(startLive, { node: 'gone', startedAt: at, show, now: at });
  await service.store.perform(endLive, { node: 'gone', show: { ...show, end_at: at + 1_000 } });
  const said = { channel_id: channel, viewer_id: 'viewer', nick: '', text: 'hello', at };
  await service.store.perform(addMessage, said);
  const muted = { channel_id: channel, viewer_id: 'muted', kind: 'mute' as const, until: null };
  await service.store.perform(silence, { account_id: 1, ...muted, now: at });
  const [, video = 0] = await addVideos(service, [
    { name: 'accounts', channel_id: own },
    { name: 'annas', channel_id: channel, manager_id: manager },
  ]);
  const { cookies, person } = await setPeople(service, { anna: manager, ben, another });
  const held: Held = {
    channel,
    show: 1,
    video,
    anna: manager,
    person,
    session: 0,
    invitation: 0,
    link: '',
    manager: 0,
    token: 0,
    webhook: 0,
    delivery: 0,
    upload: 'none',
    ...(await setStorage(service, channel)),
  };
  return { held, tokens, cookies };
}

/** A push on anna's channel that became a video of which a file is to be made, and the secret of the account's links. */
async function setStorage(service: TestService, channel: number) {
  const { store, clock } = service;
  const { now } = clock;
  const times = { show_at: null, show_ms: null, startText: '', start_time: now, end_time: now };
  const size = { video_size: 1, duration: 1, width: 0, height: 0, sameAsSource: [] };
  const whose = { recording: 'annas', channel_id: channel, account_id: 1, node: 'gone' };
  const jobs = ['mp4'] as const;
  await store.perform(addRecording, { ...whose, ...times, ...size, jobs, now });
  const { rows } = await store.perform(listJobs, { state: undefined, limit: 1, offset: 0 });
  return { job: rows[0]?.id ?? 0, secret: await viewerSecretOf(store, 1) };
}

/** As its last try leaves it. */
async function failAnnasJob({ store, clock }: TestService, { job: id }: Held): Promise<void> {
  const { now } = clock;
  const lease = { node: 'gone', leased_by: 'nobody', now, lease_until: now + 1_000 };
  const claimed = await store.perform(claimJob, lease);
  if (claimed?.id !== id) return;
  const held = { id, leased_by: 'nobody', now };
  await store.perform(failJob, { ...held, problem: 'no', isFinal: true });
}

/** People with the same sight as the tokens, and some who are refused. */
async function setPeople(
  service: TestService,
  { anna, ben, another }: { anna: number; ben: number; another: number },
) {
  const startedAt = service.clock.now;
  // A session ends where it is not used for thirty days.
  service.clock.now -= 31 * 86_400_000;
  const owner = await signUp(service, { user_name: 'owner' });
  service.clock.now = startedAt;
  const annas = await signUp(service, { user_name: 'anna', manager_id: anna });
  const removed = await signUp(service, { user_name: 'removed' });
  await service.store.perform(removePerson, { account_id: 1, person_id: removed.id });
  const ended = cookieOf(await signIn(service, 'owner'));
  const signOut = { cookie: ended, body: {} };
  await callByCookie(service, 'POST', '/manage/v1/sign-out', signOut);
  const cookies: Record<string, string> = {
    'a person of the account': cookieOf(await signIn(service, 'owner')),
    'its manager': annas.cookie,
    'another manager': (await signUp(service, { user_name: 'ben', manager_id: ben })).cookie,
    'another account': (await signUp(service, { user_name: 'other', account_id: another })).cookie,
    'an ended session': ended,
    'an old session': owner.cookie,
    'a removed person': removed.cookie,
    'a forgery': `footlight_console=${makeConsoleSecret()}`,
  };
  return { cookies, person: annas.id };
}

async function revokeNewest(service: TestService): Promise<void> {
  const id = (await listTokens(service.store)).at(-1)?.id ?? 0;
  expect(await service.store.perform(revokeToken, { id, now: service.clock.now })).toBeTrue();
}

/** Why a promise was refused; undefined where it was kept. */
function refusal(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => undefined,
    (error) => (error as ApiError).kind,
  );
}
