// One node of a cluster: a whole service, started again when it has ended, as whatever runs services does.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeLog } from './node-log.ts';
import { host, type NodePlace, Unable } from './places.ts';
import type { Processes } from './processes.ts';

/** Long enough to see how the others go on. */
const againMs = 10_000;
const program = join(import.meta.dir, '../src/cli/footlight.ts');

export interface NodeOrder {
  place: NodePlace;
  settings: Record<string, string>;
  processes: Processes;
  say(line: string): void;
}

export interface ClusterNode {
  name: string;
  /** Of its present process; it changes when that has ended and the next is started. */
  pid(): number;
  /** What the first start alone prints: the link of the first person, and a token. */
  greeting: Greeting;
  /** It is not started again. */
  leave(): void;
}

export interface Greeting {
  console_link?: string;
  token?: string;
}

/** Resolves when it greets; throws where it ends before. */
export async function startNode(order: NodeOrder): Promise<ClusterNode> {
  const { place, say } = order;
  let child = spawnNode(order);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLeft = false;
  const greeting = await greetingOf(child);
  if (!greeting) throw new Unable(`${place.name} did not start`);
  const startAgain = () => {
    child = spawnNode(order);
    say(`${place.name}  is started again, with pid ${child.pid}`);
    // Nobody waits for it, but it must be read.
    greetingOf(child);
    follow();
  };
  const follow = async () => {
    await child.exited;
    if (isLeft) return;
    const how = child.signalCode ?? `exit code ${child.exitCode}`;
    say(`${place.name}  has ended (${how}), and is started again in ${againMs / 1_000} s`);
    timer = setTimeout(startAgain, againMs);
  };
  follow();
  return {
    name: place.name,
    pid: () => child.pid,
    greeting,
    leave: () => {
      isLeft = true;
      clearTimeout(timer);
    },
  };
}

function spawnNode({ place, settings, processes, say }: NodeOrder) {
  mkdirSync(place.folder, { recursive: true });
  const child = Bun.spawn([process.execPath, '--no-install', program, 'serve', '--json'], {
    cwd: place.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: host,
      PORT: String(place.httpPort),
      RTMP_PORT: String(place.rtmpPort),
      DATA_DIR: place.folder,
      NODE_NAME: place.name,
      NODE_URL: `http://${host}:${place.httpPort}`,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  });
  processes.add('serving', child);
  const log = nodeLog(place.name, { say, monotonicMs: () => performance.now() });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) log.write(decoder.decode(bytes, { stream: true }));
  };
  read();
  return child;
}

async function greetingOf(child: ReturnType<typeof spawnNode>): Promise<Greeting | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of child.stdout) {
    text += decoder.decode(bytes, { stream: true });
    if (text.endsWith('\n')) return JSON.parse(text);
  }
  return undefined;
}
