// Videos as those who run them meet them: states of files, names, other tries; on both engines.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  addJob,
  addVideos,
  bodyRules,
  type Ids,
  play,
  refusesInQuery,
  type Scenario,
  type Stage,
} from '../../../test/support/scenarios.ts';
import { type Reply, startTestService, type TestService } from '../../../test/support/service.ts';
import { addMade } from '../../stream/recording/recording-store.ts';

const list = 'GET /manage/v1/videos';
const invalid = { status: 400, code: 400001 };
const noVideo = { status: 404, code: 404003 };

const names = (...wanted: string[]) => ({
  check: ({ body }: Reply) => {
    expect(body.videos.map(({ name }: { name: string }) => name)).toEqual(wanted);
    expect(body.meta.total).toBe(wanted.length);
  },
});

const listing: Scenario[] = [
  {
    test: 'all, newest first',
    ask: list,
    ...names('Winter talk', 'half done', 'broken', 'imported'),
  },
  { test: 'by part of the name', ask: `${list}?q=TALK`, ...names('Winter talk') },
  { test: 'of one channel', ask: `${list}?channel={launch}`, ...names('broken') },
  { test: 'those of which a file failed', ask: `${list}?state=failed`, ...names('broken') },
  { test: 'those that are worked on', ask: `${list}?state=working`, ...names('half done') },
  {
    test: 'those that are ready',
    ask: `${list}?state=ready`,
    ...names('Winter talk', 'imported'),
  },
  { test: 'a state and a name', ask: `${list}?state=ready&q=half`, ...names() },
  {
    test: 'a state and a channel',
    ask: `${list}?state=failed&channel={launch}`,
    ...names('broken'),
  },
  { test: 'an empty search finds all', ask: `${list}?q=&perPage=1`, shows: { meta: { total: 4 } } },
  ...refusesInQuery(list, { state: ['done'], channel: ['x'], perPage: ['0', '101'] }),
];

const getting: Scenario[] = [
  {
    test: 'each file with its state, its size and why it failed',
    ask: 'GET /manage/v1/videos/{broken}',
    shows: {
      state: 'failed',
      files: [
        { file: 'source', state: 'ready', size: 0 },
        { file: 'mp4', state: 'ready', size: 900, problem: '' },
        { file: 'cover', state: 'waiting' },
        { file: '480', state: 'failed', problem: 'it broke', tries: 3 },
      ],
    },
  },
  {
    test: 'of an imported video the addresses that it has',
    ask: 'GET /manage/v1/videos/{imported}',
    shows: { state: 'ready', files: [{ file: 'source' }, { file: 'mp4', size: 12 }] },
  },
  { test: 'a number that is none', ask: 'GET /manage/v1/videos/999999', ...noVideo },
];

const renaming: Scenario[] = [
  {
    test: 'a new name is shown, and found, and the old one is not',
    ask: 'PUT /manage/v1/videos/{imported}',
    send: { name: '  Spring gala ' },
    shows: { name: 'Spring gala' },
    check: async (_, { service }) => {
      const found = (title: string) => service.call('GET', `/v1/videos?title=${title}`);
      expect((await found('gala')).body.meta.total).toBe(1);
      expect((await found('imported')).body.meta.total).toBe(0);
    },
  },
  {
    test: 'without a name',
    ask: 'PUT /manage/v1/videos/{imported}',
    send: {},
    status: 400,
    code: 400002,
    fields: ['name'],
  },
  {
    test: 'with an empty one',
    ask: 'PUT /manage/v1/videos/{imported}',
    send: { name: '  ' },
    fields: ['name'],
    ...invalid,
  },
  ...bodyRules('PUT /manage/v1/videos/{imported}', { name: 'imported' }),
];

const retrying: Scenario[] = [
  {
    test: 'a file that has not failed stays',
    ask: 'POST /manage/v1/videos/{broken}/retry',
    send: { file: 'cover' },
    status: 409,
    code: 409011,
  },
  {
    test: 'one that there is not',
    ask: 'POST /manage/v1/videos/{broken}/retry',
    send: { file: 'source' },
    fields: ['file'],
    ...invalid,
  },
  {
    test: 'one that has failed waits as if it were new',
    ask: 'POST /manage/v1/videos/{broken}/retry',
    send: { file: '480' },
    check: ({ body }) => {
      expect(body.state).toBe('working');
      expect(body.files.at(-1)).toMatchObject({ file: '480', state: 'waiting', tries: 0 });
    },
  },
  {
    test: 'without a word of which, where none has failed',
    ask: 'POST /manage/v1/videos/{broken}/retry',
    send: {},
    status: 409,
    code: 409011,
  },
];

for (const engine of engines) {
  describe(`managed videos on ${engine.name}`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(await startTestService(engine));
    });
    afterAll(() => stage.service.stop());

    describe('list', () => play(listing, () => stage));
    describe('get', () => play(getting, () => stage));
    describe('rename', () => play(renaming, () => stage));
    describe('retry', () => play(retrying, () => stage));
  });
}

async function setStage(service: TestService): Promise<Stage> {
  const ids: Ids = {};
  const body = { name: 'launch' };
  ids['launch'] = (await service.call('POST', '/v1/activities', { body })).body.id;
  const videos = [
    {
      name: 'imported',
      m3u8: 'https://cdn.example.com/a.m3u8',
      video_url: 'https://cdn.example.com/a.mp4',
      video_size: 12,
    },
    { name: 'broken', channel_id: ids['launch'] ?? 0 },
    { name: 'half done' },
    { name: 'Winter talk' },
  ];
  const made = await addVideos(service, videos);
  for (const [at, { name }] of videos.entries()) ids[name] = made[at] ?? 0;
  const { broken = 0, 'half done': half = 0, 'Winter talk': talk = 0 } = ids;
  await addJob(service, { video_id: broken, kind: 'cover', state: 'waiting' });
  await addJob(service, { video_id: broken, kind: 'mp4', state: 'done' });
  await addJob(service, { video_id: broken, kind: '480', state: 'failed', problem: 'it broke' });
  await addJob(service, { video_id: half, kind: 'mp4', state: 'running' });
  await addJob(service, { video_id: talk, kind: 'mp4', state: 'done' });
  await service.store.perform(addMade, { video_id: broken, kind: 'mp4', size: 900 });
  return { service, ids, tokens: {} };
}
