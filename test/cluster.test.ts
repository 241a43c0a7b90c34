// `npm run cluster` as people type it: a push and a player by its balancer, the owner killed, all of it ended and nothing left.
import { afterEach, describe, expect } from 'bun:test';
import { chmodSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findHaproxy } from '../cluster/haproxy.ts';
import { temporaryFolder } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { patience } from './support/machine-pace.ts';
import { notLinux, testWith } from './support/needs.ts';
import { onDatabase } from './support/postgres.ts';
import { root } from './support/repository.ts';
import { collected } from './support/service-process.ts';

const withinMs = 60_000;
const program = join(root, 'src/cli/footlight.ts');
const running: Bun.Subprocess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function typed(words: string[], settings: Record<string, string>, cwd = root) {
  const child = Bun.spawn(words, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.push(child);
  return { child, said: collected(child.stdout), problems: collected(child.stderr) };
}

/** What never comes is told with what came. */
async function says(of: ReturnType<typeof collected>, words: string): Promise<void> {
  await until(() => of.text().includes(words), { withinMs, otherwise: '' }).catch(() => {
    throw new Error(`"${words}" is never said, only: ${of.text()}`);
  });
}

/** Every process that has to do with the folder: by its words, its settings or where it is. */
function processesOf(folder: string): string[] {
  const text = (read: () => string) => {
    try {
      return read();
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const of = (name: string) => text(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
      const words = of('cmdline').replaceAll('\0', ' ');
      const about = [words, of('environ'), text(() => readlinkSync(`/proc/${pid}/cwd`))];
      return about.some((one) => one.includes(folder)) ? [`${pid} ${words}`] : [];
    });
}

describe('npm run cluster', () => {
  for (const { balancer, end, lacking } of [
    { balancer: 'ours', end: 'SIGKILL', lacking: notLinux },
    {
      balancer: 'HAProxy',
      end: 'SIGTERM',
      lacking: notLinux ?? (findHaproxy() ? undefined : 'it needs haproxy'),
    },
  ] as const)
    testWith(
      lacking,
      `with the balancer ${balancer}: who pushes and who plays goes on when the owner is killed; after ${end} of npm nothing is left`,
      async () => {
        const folder = temporaryFolder();
        // Where the tests are run by root, PostgreSQL is another user.
        chmodSync(folder, 0o755);
        const settings = { DATA_DIR: folder, PORT: '0', RTMP_PORT: '0' };
        const words = ['npm', 'run', 'cluster', '--', '--balancer', balancer];
        const { child, said, problems } = typed(words, settings);
        const ended = await Promise.race([said.holds('Ctrl-C ends all of it'), child.exited]);
        expect([ended, ended === undefined ? '' : said.text() + problems.text()]).toEqual([
          undefined,
          '',
        ]);
        const pidOf = (node: string) =>
          Number(new RegExp(`${node} +pid (\\d+)`).exec(said.text())?.[1]);
        expect(said.text()).toMatch(/^ {2}http:\/\/localhost:\d+\/console\/link#/m);

        const inFolder = join(folder, 'cluster');
        const demo = typed([process.execPath, program, 'demo'], {}, inFolder);
        await says(demo.said, 'becomes a video');
        const [, hls = ''] = /HLS +(\S+)/.exec(demo.said.text()) ?? [];
        /** The last segment that a player knows; what it meets while a node dies is asked for again. */
        const lastSegment = async () => {
          const answer = await fetch(hls, { keepalive: false }).catch(() => undefined);
          if (!answer?.ok) return 0;
          const text = await answer.text();
          const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]);
          return first + [...text.matchAll(/^#EXTINF:/gm)].length;
        };
        await until(async () => (await lastSegment()) > 0, {
          withinMs,
          otherwise: 'nothing plays',
        });
        const [, url = ''] =
          /^DATABASE_URL=(.*)$/m.exec(readFileSync(join(inFolder, '.env'), 'utf8')) ?? [];
        const owner = async () => {
          const text = "SELECT node FROM pushes WHERE state = 'live'";
          return String((await onDatabase(url, (client) => client.query(text))).rows[0]?.node);
        };
        const first = await owner();
        const before = await lastSegment();
        process.kill(pidOf(first), 'SIGKILL');
        await says(demo.problems, 'is let in again');
        await until(async () => (await lastSegment()) > before + 3, {
          withinMs,
          otherwise: 'it does not play on',
        });
        expect(await owner()).not.toBe(first);
        await says(said, `${first}  is started again`);
        demo.child.kill('SIGINT');
        expect(await demo.child.exited).toBe(0);

        expect(processesOf(folder).length).toBeGreaterThan(8);
        child.kill(end);
        await child.exited;
        await until(() => processesOf(folder).length === 0, {
          withinMs,
          otherwise: `these are left: ${processesOf(folder).join('\n')}`,
        });
      },
      // One that never comes can still be told.
      patience(withinMs) + withinMs,
    );

  testWith(notLinux, 'says which port is taken, and starts nothing', async () => {
    const folder = temporaryFolder();
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const { port } = taken.address() as { port: number };
    const settings = { DATA_DIR: folder, PORT: String(port), RTMP_PORT: '0' };
    const { child, problems } = typed([process.execPath, 'cluster/run.ts'], settings);
    expect(await child.exited).toBe(1);
    expect(problems.text()).toStartWith(`cluster: port ${port} is in use: stop the program`);
    expect(readdirSync(folder)).toEqual([]);
    taken.close();
  });
});
