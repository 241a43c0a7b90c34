// The package on its own: packed, installed without scripts, run with Node alone by a user who may write nothing of it.
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../test/support/engines.ts';
import { isLive, until, videosOf } from '../test/support/live-channel.ts';
import { collected, type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import {
  filesOf,
  innermost,
  installByNpm,
  installOfCheckout,
  onlyNode,
  packed,
  ran,
  sizeOf,
} from './support/installed-package.ts';

/** Without the transcoder, in MB: what Bun and our own dependencies take. */
const installedMbMax = 200;
const withinMs = 60_000;

export const trial: Trial = {
  sentence:
    'npm pack, installed from the registry with only Node: serve, demo, page, recording, size',
  rounds: 1,
  run: async (options) => {
    const figures = await packageRound(options, installByNpm);
    const lean = await leanInstall(options);
    return { ...figures, ...lean };
  },
};

type Install = (folder: string, tarball: string) => Promise<void>;

/** One whole life of an installed package. The short form has it of what the checkout has installed. */
export async function packageRound(
  { say }: RoundOptions,
  install: Install = installOfCheckout,
): Promise<Figures> {
  const folder = temporaryFolder();
  // Another user must come through.
  chmodSync(folder, 0o755);
  const tarball = await packed(folder);
  demand(await strangeFiles(tarball));
  say('packed');
  const place = join(folder, 'a place with spaces');
  await install(place, tarball);
  say('installed');
  const user = await newUser(folder, place);
  const before = changedIn(place);
  const { service, figures } = await lived(user);
  demand(changedIn(place) === before ? [] : ['something was written into the package']);
  demand(await exitCodes(user, service.token));
  demand(await withoutBun(user));
  const packedKb = Math.round(statSync(tarball).size / 1_000);
  return { packed_kb: packedKb, ...figures };
}

/** What the package must not hold, and what it must. */
async function strangeFiles(tarball: string): Promise<string[]> {
  const files = await filesOf(tarball);
  const strange = files.filter((file) =>
    /\.test\.ts$|^(test|trial|bench|node_modules|\.ci)\/|\/client\/|\.tgz$/.test(file),
  );
  const wanted = ['built/pages.json', 'built/console.json', 'bin/footlight.js', 'clip/clip.flv'];
  return [
    ...strange.map((file) => `${file} is in the package`),
    ...wanted.filter((file) => !files.includes(file)).map((file) => `${file} is not`),
  ];
}

interface User {
  /** Where the package is. */
  place: string;
  /** Where they stand, and may write. */
  cwd: string;
  command: readonly string[];
  env: Record<string, string>;
}

/** Of somebody with Node and nothing else on the path; of another than root, where that is who tests. */
async function newUser(folder: string, place: string): Promise<User> {
  const path = await onlyNode(join(folder, 'bin'));
  const cwd = join(folder, 'somewhere else');
  mkdirSync(cwd);
  // What Bun would read of the folder it stands in: a program that is not there.
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./not-there.ts"]\n');
  const isRoot = process.getuid?.() === 0;
  const nobody = 65_534;
  if (isRoot) await ran(['chown', '-R', `${nobody}:${nobody}`, cwd]);
  const setpriv = Bun.which('setpriv') ?? 'setpriv';
  const as = isRoot ? [setpriv, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
  await ran(['chmod', '-R', 'a-w', join(place, 'node_modules/footlight')]);
  await ran(['chmod', 'a-w', join(place, 'node_modules')]);
  const footlight = join(place, 'node_modules/.bin/footlight');
  return {
    place,
    cwd,
    command: [...as, footlight],
    env: { PATH: path, DATA_DIR: './data', HOST: '127.0.0.1' },
  };
}

/** Start, demo, page, script, recording, cover, signals, end. */
async function lived(user: User): Promise<{ service: ServiceProcess; figures: Figures }> {
  const { command, cwd, env } = user;
  const service = await startProcess(env, { command, cwd });
  const problems: string[] = [];
  const demanded = (holds: boolean, what: string) => holds || problems.push(what);
  const firstPageMs = await pagesWork(service, demanded);
  await service.logged('"rtmp_port":');
  const ports = {
    PORT: new URL(service.url).port,
    RTMP_PORT: /"rtmp_port":(\d+)/.exec(service.log())?.[1] ?? '',
  };
  const demo = Bun.spawn([...command, 'demo'], {
    cwd,
    env: { ...env, ...ports },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const said = collected(demo.stdout);
  const errors = collected(demo.stderr);
  await Promise.race([said.holds('/watch/'), demo.exited]);
  const channel = Number(/\/watch\/(\d+)/.exec(said.text())?.[1]);
  if (!(channel > 0)) throw new Error(`demo said: ${said.text()}${errors.text()}`);
  await until(() => isLive(service, channel), { withinMs, otherwise: 'the demo is not live' });
  const watch = await (await fetch(`${service.url}/watch/${channel}`)).text();
  demanded(/\/assets\/watch-\w+\.js/.test(watch), 'the watch page has no script');
  // Long enough to become a video.
  const playlist = /HLS +(\S+)/.exec(said.text())?.[1] ?? '';
  await until(async () => (await (await fetch(playlist)).text()).includes('#EXTINF'), {
    withinMs,
    otherwise: 'the live playlist has no segment',
  });
  demo.kill('SIGINT');
  demanded((await demo.exited) === 0, 'the demo did not end well after SIGINT');
  const made = await recordingMade(service, channel);
  problems.push(...made.problems);
  process.kill(service.pid, 'SIGHUP');
  await service.logged('there is no certificate to read anew');
  demanded((await service.stop()) === 0, 'the service did not end with 0 after SIGTERM');
  demanded(existsSync(join(cwd, 'data')), 'the data is not in the folder where it was started');
  demand(problems);
  const started_ms = Math.round(service.startedInMs);
  return { service, figures: { started_ms, first_page_ms: firstPageMs, cover: made.cover } };
}

/** How long the first page took, with its script: nothing is bundled for it. */
async function pagesWork(
  { url }: ServiceProcess,
  demanded: (holds: boolean, what: string) => unknown,
): Promise<number> {
  const from = performance.now();
  const page = await (await fetch(`${url}/`)).text();
  const style = /\/assets\/style-\w+\.css/.exec(page)?.[0] ?? '/assets/absent';
  demanded((await fetch(url + style)).ok, 'the style of the pages is not there');
  const took = performance.now() - from;
  const shell = await (await fetch(`${url}/console`)).text();
  const script = /\/console\/assets\/console-\w+\.js/.exec(shell)?.[0] ?? '/console/assets/absent';
  demanded((await fetch(url + script)).ok, 'the script of the console is not there');
  demanded((await fetch(`${url}/docs/guides/commands`)).ok, 'the guides are not there');
  return Math.round(took);
}

/** The video, its MP4 and, where the transcoder is installed, its cover. */
async function recordingMade(service: ServiceProcess, channel: number) {
  const video = async () => (await videosOf(service, channel))[0];
  await until(async () => (await video()) !== undefined, { withinMs, otherwise: 'no video' });
  const playlist = await fetch((await video())?.m3u8 ?? '');
  const isDone = async () => {
    const { body } = await service.call('GET', '/manage/v1/jobs');
    return body.counts.done >= 2 || body.counts.failed > 0;
  };
  await until(isDone, { withinMs, otherwise: 'the jobs of the recording do not end' });
  const { cover_url = '', video_url = '' } = (await video()) ?? {};
  const mp4 = await fetch(video_url, { headers: { range: 'bytes=0-11' } });
  const head = Buffer.from(await mp4.arrayBuffer()).toString('latin1');
  const cover = cover_url === '' ? undefined : await fetch(cover_url);
  const checks: [boolean, string][] = [
    [
      playlist.ok && (await playlist.text()).includes('#EXT-X-ENDLIST'),
      'the recording is not whole',
    ],
    [head.includes('ftyp'), 'the video is no MP4'],
    [cover?.headers.get('content-type') === 'image/jpeg', 'there is no cover'],
  ];
  const problems = checks.filter(([holds]) => !holds).map(([, what]) => what);
  return { problems, cover: cover ? 'made' : 'none' };
}

/** A wrong word is 2, a database that is not there is 5, and who is killed is seen to be. */
async function exitCodes({ command, cwd, env }: User, token: string): Promise<string[]> {
  const code = async (words: string[], more = {}) => {
    const child = Bun.spawn([...command, ...words], {
      cwd,
      env: { ...env, ...more },
      stdout: 'ignore',
      stderr: 'ignore',
    });
    return await child.exited;
  };
  const [wrong, refused, fine] = await Promise.all([
    code(['nonsense']),
    code(['token', 'list'], { DATA_DIR: '/proc/none' }),
    code(['help']),
  ]);
  const service = await startProcess(env, { command, cwd, token });
  process.kill(innermost(service.pid), 'SIGKILL');
  const killed = await service.exited;
  return [
    ...(wrong === 2 ? [] : [`a wrong word ended with ${wrong}`]),
    ...(refused === 5 ? [] : [`a database that is not there ended with ${refused}`]),
    ...(fine === 0 ? [] : [`help ended with ${fine}`]),
    ...(killed === 137 ? [] : [`who was killed ended with ${killed}`]),
  ];
}

/** As with --omit=optional: a sentence that says what to do. */
async function withoutBun({ place, command, env, cwd }: User): Promise<string[]> {
  await ran(['chmod', 'u+w', join(place, 'node_modules')]);
  rmSync(join(place, 'node_modules/@oven'), { recursive: true });
  const child = Bun.spawn([...command, 'help'], { cwd, env, stdout: 'pipe', stderr: 'pipe' });
  const [words, code] = await Promise.all([child.stderr.text(), child.exited]);
  const isClear =
    /^footlight: Bun's program for this machine is not installed \(@oven\/bun-[\w-]+\)\. .*--omit=optional, or add it: npm install @oven\/bun-[\w-]+@[\d.]+\n$/;
  return code === 1 && isClear.test(words) ? [] : [`without Bun it ended with ${code}: ${words}`];
}

/** Names and times of all that is in a folder. */
function changedIn(folder: string): string {
  const names = [...new Bun.Glob('**/*').scanSync({ cwd: folder, dot: true })].sort();
  return names.map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`).join('\n');
}

/** Without the transcoder, as the documents say to leave it out: how much it takes, and that it runs. */
async function leanInstall({ say }: RoundOptions): Promise<Figures> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const tarball = await packed(folder);
  const place = join(folder, 'lean');
  const { version } = require('bun/package.json') as { version: string };
  const [platform] = [...new Bun.Glob('node_modules/@oven/*/package.json').scanSync('.')];
  const bun = platform?.split('/')[2] ?? '';
  await installByNpm(place, tarball, ['--omit=optional', `@oven/${bun}@${version}`]);
  say('installed without the transcoder');
  const megabytes = Math.round(sizeOf(place) / 1_000_000);
  const { command, cwd, env } = await newUser(folder, place);
  const service = await startProcess(env, { command, cwd });
  await service.stop();
  demand(megabytes < installedMbMax ? [] : [`it takes ${megabytes} MB, not ${installedMbMax}`]);
  return { without_transcoder_mb: megabytes };
}
