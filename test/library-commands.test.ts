// Channels, videos, audience and shows by the command line, beside a running service, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { register } from '../src/library/admission/registration-store.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { addJob, addVideos, addVisits, onDatabaseOf } from './support/scenarios.ts';
import { startTestService } from './support/service.ts';
import { makeShow } from './support/show-data.ts';
import { typed } from './support/typed-line.ts';
import { filmOf } from './support/uploads.ts';

const film = await filmOf(300_000, 2);

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine, {
      now: Date.now(),
      settings: { MIN_FREE_DISK: '1M', RECORDS_CALLS_PER_DAY: '1' },
    });
    afterAll(() => service.stop());
    const settings = { ...service.settings, PUBLIC_URL: service.url };
    const line = (...words: string[]) => typed(settings, words);
    const done = async (...words: string[]) => {
      const ran = await line(...words);
      expect({ words, code: ran.code, err: ran.err }).toEqual({ words, code: 0, err: '' });
      return ran.lines();
    };
    const newChannel = async (name: string) => (await done('channel', 'create', '--name', name))[0];
    const ofInterface = async (path: string) => (await service.call('GET', path)).body;

    test('a channel is made, shown, listed and renamed as the interface has it', async () => {
      const words = ['--name', 'Spring', '--start-time', '2027-05-01 19:30:00'];
      const [made] = await done('channel', 'create', ...words);
      expect(made).toMatchObject({
        name: 'Spring',
        watch_url: { pc: `${service.url}/watch/${made.id}` },
        page: { start_time: '2027-05-01 19:30:00' },
      });
      expect(made.rtmp_publish_addr).toMatch(/^rtmp:\/\/.+\/live\/\w+$/);
      const asked = await ofInterface(`/v1/activities/${made.id}`);
      const hostless = (value: unknown) =>
        JSON.parse(JSON.stringify(value).replace(/rtmp:\/\/[^/]+/g, 'rtmp://'));
      expect(hostless(made)).toEqual(hostless(asked));
      await done('channel', 'rename', String(made.id), '--name', 'Summer');
      expect((await ofInterface(`/v1/activities/${made.id}`)).name).toBe('Summer');
      const [noted] = await done('audit', '--last', '1');
      expect(noted).toMatchObject({
        operation: 'channel rename',
        target: { kind: 'channel', id: made.id, name: 'Spring' },
        values: { name: 'Summer' },
      });
      const [listed] = await done('channel', 'list');
      expect(listed).toMatchObject({ id: made.id, name: 'Summer', manager: 0 });
      const [shown] = await done('channel', 'show', String(made.id));
      expect(shown).toMatchObject({ ...listed, page: { theme: 'default', show_qrcode: true } });
      const table = await typed(settings, ['channel', 'list'], { terminal: true });
      expect(table.out).toMatch(/^id +name +live +manager +last push stream at +watch\n/);
      expect(table.out).toContain(`/watch/${made.id}`);
    });

    test('the page is changed by the fields of the interface, with its checks and words', async () => {
      const id = String((await newChannel('paged')).id);
      const [page] = await done(
        'channel',
        'page',
        id,
        '--set',
        'theme=tech',
        '--set',
        'footer=© a=b',
      );
      expect(page).toMatchObject({ theme: 'tech', footer: '© a=b', show_qrcode: true });
      expect((await done('channel', 'page', id))[0]).toEqual(page);
      const put = await service.call('PUT', `/v1/activities/${id}/page`, { body: {} });
      expect(put.body.page).toEqual(page);
      const wrong = await line('channel', 'page', id, '--set', 'bg_color=red', '--set', 'theme=x');
      const refused = await service.call('PUT', `/v1/activities/${id}/page`, {
        body: { bg_color: 'red', theme: 'x' },
      });
      for (const { message } of refused.body.errors.fields) expect(wrong.err).toContain(message);
      expect(wrong.code).toBe(2);
      const near = await line('channel', 'page', id, '--set', 'foter=x');
      expect(near.err).toContain('no setting "foter"; did you mean footer?');
      expect((await done('channel', 'page', id, '--set', 'theme='))[0].theme).toBe('default');
      const log = (await done('audit', '--last', '2')).map(({ operation, target, fields }) => {
        return { operation, target: target.name, fields };
      });
      expect(log).toEqual([
        { operation: 'channel page', target: 'paged', fields: ['theme'] },
        { operation: 'channel page', target: 'paged', fields: ['theme', 'footer'] },
      ]);
    });

    test('who may watch is said as the interface takes it, and registered is who has', async () => {
      const { id: channel_id } = await newChannel('kept');
      const id = String(channel_id);
      const path = `/manage/v1/channels/${id}/access`;
      expect((await done('channel', 'access', id))[0]).toMatchObject({
        id: channel_id,
        kind: 'open',
      });
      const folder = temporaryFolder();
      const withFile = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return ['--with', join(folder, name)];
      };
      const words = ['channel', 'access', id, '--kind'];
      const [kept] = await done(
        ...words,
        'password',
        ...withFile('a', '{"password":"spring-2026"}'),
      );
      expect(kept).toMatchObject({ kind: 'password', has_password: true });
      expect((await service.call('GET', path)).body).toMatchObject({ has_password: true });
      const form = [{ name: 'company', label: 'Company' }];
      const [asking] = await done(...words, 'form', ...withFile('b', JSON.stringify({ form })));
      expect(asking.form).toMatchObject(form);
      for (const [more, sentence] of [
        [['form', ...withFile('c', '{"form":[]}')], 'form must be a list of 1 to 20 fields'],
        [['list', ...withFile('d', 'not JSON')], '--with must be a JSON object'],
        [['list', '--with', join(folder, 'none')], '--with cannot be read'],
      ] as const) {
        const ran = await line(...words, ...more);
        expect(ran.err).toContain(sentence);
        expect(ran.code).toBe(2);
      }
      const place = { channel_id, thing: `c${channel_id}` } as const;
      await service.store.perform(register, {
        ...{ ...place, viewer_id: 'ada', id: 'first', names: ['company'] },
        ...{ answers: { company: '=ACME' }, now: service.clock.now },
      });
      const file = join(folder, 'registrations.csv');
      const [made] = await done(
        ...['audience', 'export', '--channel', id, '--of', 'registrations', '--to', file],
      );
      expect(made).toMatchObject({ rows: 1 });
      expect(readFileSync(file, 'utf8')).toContain(",'=ACME\r\n");
      const [log] = await done('audit', '--last', '1', '--group', 'channels');
      expect(log).toMatchObject({ operation: 'channel access', target: { name: 'kept' } });
      expect(JSON.stringify(log)).not.toContain('spring');
    });

    test('captions are added, listed and removed', async () => {
      const { id: channel_id } = await newChannel('spoken');
      const [video = 0] = await addVideos(service, [{ name: 'spoken', channel_id }]);
      const folder = temporaryFolder();
      const withFile = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      const words = ['video', 'captions', String(video)];
      const vtt = withFile('a.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nhi');
      const srt = withFile('b.srt', '1\n00:00:01,000 --> 00:00:02,000\nhallo\n');
      await done(...words, '--add', srt, '--language', 'de');
      expect(
        await done(...words, '--add', vtt, '--language', 'en', '--label', ' Spo\u202eken '),
      ).toEqual([
        { language: 'de', label: 'Deutsch', cues: 1, bytes: 44 },
        { language: 'en', label: 'Spoken', cues: 1, bytes: 41 },
      ]);
      const given = await service.call('GET', `/manage/v1/videos/${video}/captions/de`);
      expect(given.text).toContain('hallo');
      expect(await done(...words, '--remove', 'de')).toMatchObject([{ language: 'en' }]);
      expect(await done(...words)).toMatchObject([{ language: 'en' }]);
      const [log] = await done('audit', '--last', '1', '--group', 'videos');
      expect(log).toMatchObject({ operation: 'video captions', target: { name: 'spoken' } });
      for (const [more, sentence, code] of [
        [['--add', srt, '--language', 'x'], 'language must be a tag', 2],
        [['--add', withFile('c.vtt', 'WEBVTT\n\nhi'), '--language', 'en'], 'Line 3: times', 2],
        [['--add', join(folder, 'none'), '--language', 'en'], '--add cannot be read', 2],
        [['--add', vtt], '--add and --language must be given together', 2],
        [['--remove', 'de'], 'no captions in that language', 3],
      ] as const) {
        const ran = await line(...words, ...more);
        expect(ran.err).toContain(sentence);
        expect(ran.code).toBe(code);
      }
    });

    test.each([
      [['channel', 'show', '99999'], 'No channel 99999', 3],
      [['channel', 'list', '--account', '99'], 'No account 99', 3],
      [['channel', 'create', '--name', 'x', '--account', '99'], 'No account 99', 3],
      [['channel', 'create', '--name', 'x', '--start-time', 'soon'], 'start_time must be', 2],
      [['video', 'show', '99999'], 'No video 99999', 3],
      [['video', 'import', '/no/such/film', '--channel', '99999'], 'No channel 99999', 3],
      [['audience', 'sessions', '--channel', '99999'], 'No channel 99999', 3],
      [['show', 'report', '--channel', '99999'], 'No channel 99999', 3],
    ])('%j says what is wrong', async (words, sentence, code) => {
      const ran = await line(...words);
      expect(ran.err).toContain(sentence);
      expect(ran.code).toBe(code);
    });

    test('a file becomes a video by the running service, and comes back as an mp4', async () => {
      const { id } = await newChannel('filmed');
      const folder = temporaryFolder();
      const source = join(folder, 'The film.mp4');
      writeFileSync(source, film);
      const ran = await line('video', 'import', source, '--channel', String(id));
      expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: expect.any(String) });
      const [made] = ran.lines();
      expect(made).toMatchObject({
        act_id: id,
        name: 'The film',
        state: 'done',
        size: film.length,
      });
      expect(readFileSync(source).length).toBe(film.length);
      const [shown] = await done('video', 'show', String(made.id));
      expect(shown).toMatchObject({
        id: made.id,
        duration: 2,
        files: [{ file: 'source' }, {}, {}],
      });
      const [noted] = await done('audit', '--last', '1');
      expect(noted).toMatchObject({ operation: 'video import', target: { kind: 'channel', id } });

      const to = join(folder, 'back.mp4');
      const words = ['video', 'download', String(made.id), '--to', to, '--wait', '--quiet'];
      const [got] = await done(...words);
      const bytes = readFileSync(to);
      expect(got).toEqual({ id: made.id, file: to, size: bytes.length, resumed_at: 0 });
      expect(bytes.subarray(4, 8).toString()).toBe('ftyp');
      const again = await line('video', 'download', String(made.id), '--to', to);
      expect([again.code, again.err]).toEqual([4, expect.stringContaining('--force replaces it')]);
      // What a cut has left is gone on with.
      writeFileSync(`${to}.part`, bytes.subarray(0, 100_000), { mode: 0o600 });
      const [more] = await done('video', 'download', String(made.id), '--to', to, '--force');
      expect(more.resumed_at).toBe(100_000);
      expect(Buffer.compare(readFileSync(to), bytes)).toBe(0);
      const piped = await line('video', 'download', String(made.id), '--to', '-');
      expect(Buffer.compare(Buffer.from(piped.out, 'latin1'), bytes)).toBe(0);
      expect(readdirSync(folder).sort()).toEqual(['The film.mp4', 'back.mp4']);
    });

    test('a file that is no film is refused, and leaves nothing', async () => {
      const { id } = await newChannel('not filmed');
      const source = join(temporaryFolder(), 'notes.mp4');
      writeFileSync(source, 'this is no film\n'.repeat(100));
      const ran = await line('video', 'import', source, '--channel', String(id), '--quiet');
      expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('not a video')]);
      expect(await done('video', 'list', '--channel', String(id))).toEqual([]);
    });

    test('a video of another host is fetched from there, and one without its mp4 is not', async () => {
      const { id: channel_id } = await newChannel('elsewhere');
      const host = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(film) });
      const video_url = `http://127.0.0.1:${host.port}/a.mp4`;
      const [far = 0, unmade = 0] = await addVideos(service, [
        { name: 'far', channel_id, video_url },
        { name: 'unmade', channel_id },
      ]);
      const to = join(temporaryFolder(), 'far.mp4');
      await done('video', 'download', String(far), '--to', to);
      expect(Buffer.compare(readFileSync(to), film)).toBe(0);
      await host.stop(true);
      await addJob(service, { video_id: unmade, kind: 'mp4', state: 'waiting' });
      const none = join(temporaryFolder(), 'none.mp4');
      const waiting = await line('video', 'download', String(unmade), '--to', none);
      expect([waiting.code, waiting.err]).toEqual([4, expect.stringContaining('not made yet')]);
      expect([existsSync(none), existsSync(`${none}.part`)]).toEqual([false, false]);
    });

    test('visitors and sessions are those of the interface, without its daily limit', async () => {
      const { id } = await newChannel('watched');
      const at = Date.now() - 3_600_000;
      await addVisits(service, id, [
        { viewer_id: 'v1', at, watch_ms: 90_000, nick: '小明' },
        { viewer_id: 'v2', at: at + 1_000, watch_ms: 30_000 },
        { viewer_id: 'v3', at: at + 2_000, watch_ms: 0 },
      ]);
      const channel = ['--channel', String(id)];
      const records = `/v1/activities/${id}/userRecords`;
      const asked = (await service.call('POST', records, { body: {} })).body;
      expect((await service.call('POST', records, { body: {} })).status).toBe(429);
      for (let time = 0; time < 3; time += 1)
        expect(await done('audience', 'sessions', ...channel)).toEqual(asked);
      const all = await done('audience', 'sessions', ...channel, '--filter-watch-time', '0');
      expect(all.map(({ user_id }) => user_id)).toEqual(['v3', 'v2', 'v1']);
      const visitors = `/v1/activities/${id}/visitors`;
      const body = { filter: '1', direction: 'asc' };
      const long = ['--filter', '1', '--direction', 'asc'];
      expect(await done('audience', 'visitors', ...channel, ...long)).toEqual(
        (await service.call('POST', visitors, { body })).body,
      );
      expect(await done('audience', 'visitors', ...channel, '--count', '2')).toHaveLength(2);
      const words = ['--filter-watch-time', '0', '--start-time', zoneText(at + 2_000)];
      expect(await done('audience', 'sessions', ...channel, ...words)).toMatchObject([
        { user_id: 'v3' },
      ]);
    });

    test('an export is the file of the interface, once, and is in the audit log', async () => {
      const { id } = await newChannel('exported');
      await addVisits(service, id, [
        { viewer_id: 'v1', at: Date.now() - 60_000, watch_ms: 61_000 },
      ]);
      const to = join(temporaryFolder(), 'visitors.csv');
      const words = ['audience', 'export', '--channel', String(id), '--of', 'visitors', '--to', to];
      expect(await done(...words)).toEqual([{ id, file: to, rows: 1 }]);
      const csv = await service.call('GET', `/manage/v1/channels/${id}/visitors.csv`);
      expect(readFileSync(to, 'utf8')).toBe(`\uFEFF${csv.text.replace(/^\uFEFF/, '')}`);
      expect((await line(...words)).code).toBe(4);
      const piped = await done(
        'audience',
        'export',
        '--channel',
        String(id),
        '--of',
        'sessions',
        '--json',
      );
      expect(piped).toMatchObject([{ user_id: 'v1', watch_ms: 61_000 }]);
      const log = (await done('audit', '--group', 'exports')).filter(
        ({ via, target }) => via === 'command' && target.id === id,
      );
      expect(log).toMatchObject([
        { operation: 'audience export', target: { kind: 'channel', id, name: 'exported' } },
        { operation: 'audience export' },
      ]);
      expect(JSON.stringify(log)).not.toContain('v1');
    });

    test('a show is listed and reported as the interface does, also as CSV', async () => {
      const { id } = await newChannel('shown');
      const at = Date.now() - 86_400_000;
      const visits = Array.from({ length: 20 }, (_, n) => ({ viewer_id: `v${n}`, at: at + n }));
      await addVisits(service, id, visits);
      const first = await service.store.one<{ seq: number }>(
        'SELECT MIN(seq) AS seq FROM sessions WHERE channel_id = $1',
        [id],
      );
      const show = await onDatabaseOf(service, (sql) =>
        makeShow(sql, {
          channel_id: id,
          viewers: 20,
          first: first?.seq ?? 0,
        }),
      );
      const channel = ['--channel', String(id)];
      const [report] = await done('show', 'report', ...channel);
      expect(report).toMatchObject({ id: show, uv: 20, pv: 20, records: 'whole' });
      // Counted by a command that reads, nothing is kept.
      expect(await done('show', 'list', ...channel)).toMatchObject([{ id: show, figures: null }]);
      const asked = await ofInterface(`/v1/activities/${id}/report`);
      expect(report).toEqual(asked.shows[0]);
      const csv = await line('show', 'report', ...channel, '--show', String(show), '--csv');
      const path = `/manage/v1/channels/${id}/shows/${show}/report.csv`;
      expect(csv.out.length).toBeGreaterThan(100);
      expect(Buffer.from(csv.out, 'utf8').toString()).toBe(
        `\uFEFF${(await service.call('GET', path)).text.replace(/^\uFEFF/, '')}`,
      );
      expect((await line('show', 'report', ...channel, '--show', '99999')).code).toBe(3);
    });

    test('events are listed as the interface has them, by type, channel and position', async () => {
      const { id } = await newChannel('told');
      await done('channel', 'rename', String(id), '--name', 'told again');
      const { events, next_after } = await ofInterface('/manage/v1/events/list');
      const listed = await done('event', 'list');
      expect(listed.map(({ position: _, ...event }) => event)).toEqual(events);
      expect(listed.at(-1).position).toBe(next_after);
      const channel = ['--channel', String(id)];
      const ofChannel = await done('event', 'list', ...channel);
      expect(ofChannel.map(({ type }) => type)).toEqual(['channel.created', 'channel.updated']);
      const place = ofChannel[0].position;
      expect(await done('event', 'list', ...channel, '--after', place)).toEqual([ofChannel[1]]);
      const words = ['--type', 'channel.created,video.ready'];
      expect(await done('event', 'list', ...channel, ...words)).toEqual([ofChannel[0]]);
      // A place of another database: all that is kept comes again, and that is said.
      const ahead = await line('event', 'list', ...channel, '--after', '999999.0', '--json');
      expect(ahead.lines()).toEqual(ofChannel);
      expect(JSON.parse(ahead.err)).toMatchObject({ feed: 'main', from: 1 });
      const table = await typed(settings, ['event', 'list', ...channel], { terminal: true });
      expect(table.out).toMatch(
        /^position +timestamp +type +data\n\d+\.\d+ +2\S+Z +channel\.created /,
      );
      expect((await line('event', 'list', '--account', '99')).code).toBe(3);
      expect((await line('event', 'list', '--channel', '99999')).code).toBe(3);
    });

    test('events are followed as they happen, one by one, until it is interrupted', async () => {
      const { id } = await newChannel('followed');
      const { next_after } = await ofInterface('/manage/v1/events/list');
      await done('channel', 'rename', String(id), '--name', 'before');
      const following = follow(settings, ['--after', next_after, '--channel', String(id)]);
      expect(await following.line(1)).toMatchObject({ data: { name: 'before' } });
      // By the service, and by another program.
      await service.call('PUT', `/v1/activities/${id}`, { body: { name: 'by the service' } });
      expect(await following.line(2)).toMatchObject({ data: { name: 'by the service' } });
      await done('channel', 'rename', String(id), '--name', 'by a command');
      const last = await following.line(3);
      expect(last).toMatchObject({ type: 'channel.updated', data: { name: 'by a command' } });
      expect((await done('event', 'list')).at(-1)).toEqual(last);
      process.emit('SIGTERM');
      expect(await following.ran).toMatchObject({
        code: 0,
        err: expect.stringContaining('Ctrl-C'),
      });

      const onlyLive = follow(settings, ['--type', 'channel.deleted'], { terminal: true });
      await onlyLive.begun;
      await done('channel', 'rename', String(id), '--name', 'not wanted');
      await done('channel', 'delete', String(id));
      await onlyLive.until(({ out }) => out.includes('channel.deleted'));
      process.emit('SIGINT');
      const { code, out } = await onlyLive.ran;
      expect([code, out.trim().split('\n').length]).toEqual([0, 2]);
    });
  });
}

/** `event follow`, with what it has printed so far. */
function follow(
  settings: Record<string, string>,
  words: readonly string[],
  how: { terminal?: boolean } = {},
) {
  let printed = { out: '', err: '' };
  const looks = new Set<() => void>();
  const heard = (text: typeof printed) => {
    printed = text;
    for (const look of looks) look();
  };
  const until = (isSo: (text: typeof printed) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo(printed)) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  const ran = typed(settings, ['event', 'follow', ...words], { ...how, heard });
  return {
    ran,
    until,
    begun: until(({ err }) => err.includes('Ctrl-C')),
    line: async (number: number) => {
      await until(({ out }) => out.split('\n').length > number);
      return JSON.parse(printed.out.split('\n')[number - 1] ?? '');
    },
  };
}

describe('without a service', () => {
  test('a file becomes a video all the same, and the next start finds it', async () => {
    const DATA_DIR = temporaryFolder();
    const settings = { DATA_DIR, MIN_FREE_DISK: '1M' };
    const line = async (...words: string[]) => {
      const ran = await typed(settings, [...words, '--json']);
      expect({ words, code: ran.code, err: ran.err }).toEqual({ words, code: 0, err: '' });
      return ran.lines();
    };
    const [{ id }] = await line('channel', 'create', '--name', 'alone');
    const source = join(temporaryFolder(), 'film.mp4');
    writeFileSync(source, film);
    const [made] = await line('video', 'import', source, '--channel', String(id), '--name', 'One');
    expect(made).toMatchObject({ act_id: id, name: 'One', state: 'done' });
    // One that nobody waits for is made by whoever runs next.
    const [left] = await line('video', 'import', source, '--channel', String(id), '--no-wait');
    expect(left).toMatchObject({ id: null, state: 'coming' });
    const [third] = await line(
      'video',
      'import',
      source,
      '--channel',
      String(id),
      '--name',
      'Three',
    );
    expect(third.state).toBe('done');
    const names = async () => (await line('video', 'list')).map(({ name }) => name);
    while ((await names()).length < 3)
      await line('video', 'import', source, '--channel', String(id));
    expect(await names()).toContain('film');
  });
});

function zoneText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
