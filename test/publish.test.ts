// The commands that push: `publish` and `demo`, with the service beside them; and those about channels and jobs.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { engines, temporaryFolder } from './support/engines.ts';
import { freePort } from './support/free-port.ts';
import { until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { onDatabaseOf } from './support/scenarios.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { collected } from './support/service-process.ts';
import { startShapedLine } from './support/shaped-line.ts';
import { typed } from './support/typed-line.ts';

const program = join(import.meta.dir, '../src/cli/footlight.ts');

for (const engine of engines)
  describe(engine.name, () => {
    let service: TestService;
    let id: number;
    beforeAll(async () => {
      const settings = { PORT: String(await freePort()), RTMP_PORT: String(await freePort()) };
      service = await startTestService(engine, { clock: movingClock(), settings });
      id = (await service.call('POST', '/v1/activities', { body: { name: 'mine' } })).body.id;
    });
    afterAll(() => service.stop());

    const start = (...words: string[]) =>
      Bun.spawn([process.execPath, program, ...words], {
        env: { PATH: process.env['PATH'] ?? '', ...service.settings },
        stdout: 'pipe',
        stderr: 'pipe',
      });
    const run = async (...words: string[]) => {
      const child = start(...words);
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, out, err };
    };
    const videos = async (channel: number) =>
      (await service.call('GET', `/v1/videos?act_id=${channel}`)).body.videos;
    const untilVideo = async (channel: number) => {
      for (;;) {
        const [video] = await videos(channel);
        if (video) return video;
        await Bun.sleep(50);
      }
    };

    test('demo makes nothing where there is no service, or one with its data elsewhere', async () => {
      const DATA_DIR = join(temporaryFolder(), 'data');
      const elsewhere = (RTMP_PORT: string) =>
        typed({ DATA_DIR, HOST: '127.0.0.1', RTMP_PORT }, ['demo']);
      const none = await elsewhere('1');
      expect([none.code, none.err]).toEqual([1, expect.stringContaining('Is the service running')]);
      const other = await elsewhere(String(service.rtmpPort));
      const said = `its database is not in ${DATA_DIR}`;
      expect([other.code, other.err]).toEqual([5, expect.stringContaining(said)]);
      expect(existsSync(DATA_DIR)).toBeFalse();
    });

    test('demo makes its channel, goes live, says where, and leaves a video', async () => {
      const demo = start('demo');
      let said = '';
      for await (const chunk of demo.stdout.pipeThrough(new TextDecoderStream())) {
        said += chunk;
        if (said.includes('becomes a video')) break;
      }
      const [, hls = ''] = /HLS +(\S+)/.exec(said) ?? [];
      const channel = Number(/channel (\d+)/.exec(said)?.[1]);
      const untilPlays = async (): Promise<Response> => {
        const reply = await fetch(hls);
        return reply.status === 200 ? reply : await untilPlays();
      };
      expect(await (await untilPlays()).text()).toContain('#EXTM3U');
      const shown = (await service.call('GET', `/v1/activities/${channel}`)).body;
      expect(shown).toMatchObject({ name: 'Footlight demo', live_status: 1 });
      expect(new URL(shown.hls_play_addr).pathname).toBe(new URL(hls).pathname);
      demo.kill('SIGINT');
      expect(await demo.exited).toBe(0);
      expect((await untilVideo(channel)).name).toStartWith('Footlight demo ');
      // The row follows before there is a video.
      expect((await service.call('GET', `/v1/activities/${channel}`)).body.live_status).toBe(0);
      // A second demo uses the same channel.
      const again = start('demo');
      for await (const chunk of again.stdout.pipeThrough(new TextDecoderStream())) {
        expect(chunk).toContain(`channel ${channel},`);
        break;
      }
      again.kill('SIGINT');
      await again.exited;
    });

    test('demo comes back when its line was cut, and goes on with the show', async () => {
      const line = await startShapedLine(service.rtmpPort);
      const demo = Bun.spawn([process.execPath, program, 'demo'], {
        env: {
          PATH: process.env['PATH'] ?? '',
          ...service.settings,
          RTMP_PORT: String(line.port),
        },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [said, remarks] = [collected(demo.stdout), collected(demo.stderr)];
      await said.holds('becomes a video');
      const channel = Number(/channel (\d+)/.exec(said.text())?.[1]);
      const live = async () =>
        (await service.call('GET', `/v1/activities/${channel}`)).body.live_status === 1;
      await until(live, { withinMs: 10_000, otherwise: 'it is not live' });
      line.cut();
      await remarks.holds('is let in again');
      expect(remarks.text()).toContain('it is tried again');
      expect(await live()).toBeTrue();
      demo.kill('SIGINT');
      expect(await demo.exited).toBe(0);
      line.close();
    });

    testWith(
      Bun.which('ffmpeg') ? undefined : 'ffmpeg is not installed',
      'publish takes an MP4 with B-frames',
      async () => {
        const file = join(temporaryFolder(), 'show.mp4');
        await Bun.spawn([
          ...['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25'],
          ...['-f', 'lavfi', '-i', 'sine', '-t', '2', '-c:v', 'libx264', '-bf', '3', '-g', '50'],
          ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', file],
        ]).exited;
        const ran = await run('publish', '--channel', String(id), '--file', file);
        expect(ran).toMatchObject({ code: 0, err: '' });
        expect(await untilVideo(id)).toMatchObject({ duration: 2, width: 320, height: 180 });
      },
    );

    test.each([
      [['publish'], 2, '--channel or --url must be given'],
      [['publish', '--channel', '1', '--url', 'rtmp://x/live/y'], 2, 'cannot be given together'],
      [['publish', '--channel', '999'], 3, 'No channel 999'],
      [['publish', '--channel', '1', '--file', program], 1, 'is neither FLV nor MP4, MOV'],
      [['publish', '--url', 'http://x'], 1, 'rtmp://HOST/APP/NAME'],
      [['publish', '--url', 'rtmp://127.0.0.1:1/live/x'], 1, 'Is the service running?'],
      [['channel', 'rotate-key', '999'], 3, 'No channel 999'],
      [['job', 'list', '--state', 'odd'], 2, '--state must be one of'],
      [['job', 'retry'], 2, 'the job id must be given'],
      [['job', 'retry', '999'], 3, 'there is no job 999'],
    ])('%j is refused with a sentence', async (words, code, sentence) => {
      const ran = await run(...words);
      expect(ran.err).toContain(sentence);
      expect(ran.code).toBe(code);
    });

    test('a wrong key is refused, and the sentence does not name it', async () => {
      const url = `rtmp://127.0.0.1:${service.settings['RTMP_PORT']}/live/nobodyskey`;
      const { code, err } = await run('publish', '--url', url);
      expect([code, err.trim()]).toEqual([1, 'footlight: No channel has this publish key']);
    });

    test('rotate-key prints the new address, which alone works from then on', async () => {
      const before = (await service.call('GET', `/v1/activities/${id}`)).body.rtmp_publish_addr;
      const { out } = await run('channel', 'rotate-key', String(id));
      const key = (address: string) => address.split('/').at(-1) ?? '';
      const after = (await service.call('GET', `/v1/activities/${id}`)).body.rtmp_publish_addr;
      expect(key(JSON.parse(out).rtmp_publish_addr)).toBe(key(after));
      expect(key(after)).not.toBe(key(before));
      expect((await run('publish', '--url', before)).err).toContain(
        'No channel has this publish key',
      );
    });

    test('job list tells what became of the recordings', async () => {
      const { out } = await run('job', 'list');
      const kinds = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).kind);
      expect(kinds).toContain('mp4');
    });

    test('job retry lets a failed job begin again, and says why no other can', async () => {
      const untilDone = async (wanted?: number): Promise<number> => {
        const done = "SELECT id FROM jobs WHERE kind = 'mp4' AND state = 'done'";
        const rows = await service.store.all<{ id: number }>(done);
        const job = rows.find(({ id }) => wanted === undefined || id === wanted);
        if (job) return job.id;
        await Bun.sleep(50);
        return await untilDone(wanted);
      };
      const jobId = await untilDone();
      await onDatabaseOf(service, async (sql) => {
        await sql.run("UPDATE jobs SET state = 'failed', tries = 3 WHERE id = $1", [jobId]);
      });
      const { code, out } = await run('job', 'retry', String(jobId));
      expect([code, JSON.parse(out)]).toEqual([0, { id: jobId, state: 'waiting' }]);
      expect(await untilDone(jobId)).toBe(jobId);
      const { err } = await run('job', 'retry', String(jobId));
      expect(err).toBe(`footlight: job ${jobId} is done: only a failed one can be tried again\n`);
    });
  });
