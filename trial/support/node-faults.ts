// The faults of a cluster: each does its harm and undoes it, and says what it did.

import { startClipPush } from '../../test/support/clip-push.ts';
import type { Cluster, ClusterShow } from '../../test/support/cluster/cluster.ts';
import { ClusterEncoder } from '../../test/support/cluster/cluster-encoder.ts';
import type { ClusterNode } from '../../test/support/cluster/cluster-node.ts';
import type { LineMode } from '../../test/support/fault-line.ts';
import { newLiveChannel, taken, until } from '../../test/support/live-channel.ts';
import { heldUpMs } from '../../test/support/machine-pace.ts';
import type { Random } from '../../test/support/random.ts';
import type { MachineClock } from './machine-clock.ts';

export interface FaultStage {
  cluster: Cluster;
  show: ClusterShow;
  /** Of each node's machine, by its name. */
  clocks: ReadonlyMap<string, MachineClock>;
  random: Random;
}

/** What it did, for the line that is printed; the encoder knows already what may be missing. */
export type Fault = (stage: FaultStage) => Promise<string>;

/** A segment is cut at the clip's key frames, and is put and named in this at most, or comes with the node's disk. */
const segmentMs = 2_000;
const namedMs = 1_500 + heldUpMs;
/** Nobody takes from a holder sooner. */
const holdMs = 3_000;

export const faults = {
  'owner killed': (stage) => killed(stage, 'owner'),
  'edge killed': (stage) => killed(stage, 'edge'),
  'counter killed': (stage) => killed(stage, 'counter'),
  'owner frozen': (stage) => frozen(stage, 'owner'),
  'edge frozen': (stage) => frozen(stage, 'edge'),
  'counter frozen': (stage) => frozen(stage, 'counter'),
  'owner without database': (stage) => withoutDatabase(stage, 'owner'),
  'edge without database': (stage) => withoutDatabase(stage, 'edge'),
  'nodes apart': apart,
  'encoder cut': encoderCut,
  'two encoders': twoEncoders,
  'store away': (stage) => storeIs(stage, ['cut', 'silent']),
  'store frozen': storeFrozen,
  'store full': storeFull,
  'store failing': (stage) => storeIs(stage, ['failing', 'slow down']),
  'database restarted in a takeover': databaseRestarted,
  'tail comes back': tailComesBack,
  'disk lost with the store away': diskLost,
  'key rotated elsewhere': keyRotated,
  'tabs lose two nodes': tabsLoseNodes,
  'clock set': clockSet,
  'job runner killed': jobRunnerKilled,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
type Role = 'owner' | 'edge' | 'counter';

async function nodeOf({ cluster, show, random }: FaultStage, role: Role): Promise<ClusterNode> {
  const owner = await cluster.holder(show.channel_id);
  if (role === 'owner') return owner;
  if (role === 'edge') return random.pick(cluster.nodes.filter((node) => node !== owner));
  // As the census has it (`viewer-census.ts`).
  const weight = ({ name }: ClusterNode) => BigInt(Bun.hash(`${name} ${show.channel_id}`));
  return cluster.nodes.reduce((most, node) => (weight(node) > weight(most) ? node : most));
}

/** What a holder that is gone had not named yet is missing, should it not come back in time. */
async function isOwner({ cluster, show }: FaultStage, node: ClusterNode): Promise<boolean> {
  return (await cluster.holder(show.channel_id)) === node;
}

/** The moments are the point of faults: how long one lasts is chosen, and no event is waited for. */
async function lasting(random: Random, leastMs: number, mostMs: number): Promise<number> {
  const ms = random.whole(leastMs, mostMs);
  await Bun.sleep(ms);
  return ms;
}

async function killed(stage: FaultStage, role: Role): Promise<string> {
  const { show, random } = stage;
  const node = await nodeOf(stage, role);
  if (await isOwner(stage, node))
    show.encoder.allowLoss(segmentMs + namedMs, 'its owner was killed');
  await node.kill();
  const ms = await lasting(random, 0, 5_000);
  await node.start();
  return `${node.name} for ${ms} ms`;
}

/** Shorter than anybody would notice, or long enough that the push is another's when it goes on. */
async function frozen(stage: FaultStage, role: Role): Promise<string> {
  const { show, random } = stage;
  const node = await nodeOf(stage, role);
  const moves = random.next() < 0.5;
  const wasOwner = await isOwner(stage, node);
  if (wasOwner && moves) show.encoder.allowLoss(segmentMs + namedMs, 'its owner was frozen');
  node.freeze();
  let ms = await lasting(random, 300, 2_500);
  if (wasOwner && moves) {
    // Whoever broadcasts sees that nothing goes on, and comes back elsewhere.
    show.encoder.cut();
    ms += await lasting(random, 0, holdMs + 3_000);
  }
  node.goOn();
  return `${node.name} for ${ms} ms${moves && wasOwner ? ', its encoder moved' : ''}`;
}

async function withoutDatabase(stage: FaultStage, role: Role): Promise<string> {
  const { show, random } = stage;
  const node = await nodeOf(stage, role);
  const { database } = node.lines;
  const mode = random.pick(['cut', 'silent'] as const);
  const moves = (await isOwner(stage, node)) && random.next() < 0.5;
  if (moves) show.encoder.allowLoss(segmentMs + namedMs, 'its owner could not renew');
  database.set(mode);
  let ms = await lasting(random, 500, 4_000);
  if (moves) {
    show.encoder.cut();
    ms += await lasting(random, 500, holdMs + 3_000);
  }
  database.set('through');
  return `${node.name}, ${mode} for ${ms} ms${moves ? ', its encoder moved' : ''}`;
}

async function apart({ cluster, random }: FaultStage): Promise<string> {
  const node = random.pick(cluster.nodes);
  const mode = random.pick(['cut', 'silent'] as const);
  node.lines.links.set(mode);
  const ms = await lasting(random, 500, 8_000);
  node.lines.links.set('through');
  return `nobody reaches ${node.name}, ${mode} for ${ms} ms`;
}

async function encoderCut({ show, random }: FaultStage): Promise<string> {
  const times = random.whole(1, 3);
  for (let time = 0; time < times; time++) {
    show.encoder.cut();
    await until(() => show.encoder.isLetIn, { withinMs: 30_000, otherwise: 'it is not let in' });
    // Now and then before it has shown anything.
    await lasting(random, 0, random.pick([250, 3_000]));
  }
  return `${times} times`;
}

/** Another with the same key on another node: it is refused for as long as the first sends. */
async function twoEncoders({ cluster, show, random }: FaultStage): Promise<string> {
  const owner = await cluster.holder(show.channel_id);
  const { rtmpPort, name } = random.pick(cluster.nodes.filter((node) => node !== owner));
  const before = show.encoder.pushed.length;
  const other = new ClusterEncoder({
    targets: [`rtmp://127.0.0.1:${rtmpPort}`],
    path: show.encoder.path,
    from: strangersFrom,
  });
  const ms = await lasting(random, 1_000, 4_000);
  await other.end();
  const wrong = other.refusals.filter((refusal) => refusal !== taken && refusal !== 'it was cut');
  if (other.pushed.length > 0) throw new Error(`a second encoder was let in on ${name}`);
  if (wrong.length > 0) throw new Error(`a second encoder was told: ${wrong}`);
  if (show.encoder.pushed.length !== before) throw new Error('the first encoder was thrown out');
  return `on ${name} for ${ms} ms, refused ${other.refusals.length} times`;
}

/** Far from what the first may come to: one of these in a recording is nobody's. */
const strangersFrom = 5_000_000_000;

async function storeIs(stage: FaultStage, modes: readonly LineMode[]): Promise<string> {
  const { cluster, random } = stage;
  const mode = random.pick(modes);
  const node = random.pick([undefined, await nodeOf(stage, 'owner')]);
  const nodes = node ? [node] : cluster.nodes;
  for (const one of nodes) one.lines.store.set(mode);
  const ms = await lasting(random, 1_000, 8_000);
  for (const one of nodes) one.lines.store.set('through');
  return `${mode} for ${node?.name ?? 'all'}, ${ms} ms`;
}

/** The store itself, or what leads to it. */
async function storeFrozen(stage: FaultStage): Promise<string> {
  const { cluster, random } = stage;
  if (random.next() < 0.5) return await storeIs(stage, ['frozen']);
  cluster.store.pause(true);
  const ms = await lasting(random, 1_000, 8_000);
  cluster.store.pause(false);
  return `its process, ${ms} ms`;
}

async function storeFull(stage: FaultStage): Promise<string> {
  const { cluster, random } = stage;
  const { fill } = cluster.store;
  if (!fill) return await storeIs(stage, ['full']);
  await fill(true);
  const ms = await lasting(random, 1_000, 8_000);
  await fill(false);
  return `by its quota, ${ms} ms`;
}

async function databaseRestarted(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const node = await nodeOf(stage, 'owner');
  show.encoder.allowLoss(segmentMs + namedMs, 'its owner was killed');
  await node.kill();
  // Into the claim, or shortly before or after it.
  const ms = await lasting(random, 0, holdMs + 1_000);
  await cluster.postgres.crashAndRestart();
  await lasting(random, 0, 2_000);
  await node.start();
  return `${node.name} killed, the database ${ms} ms later`;
}

/** What the store did not take is on the disk of a node that dies; it comes back when another has the push. */
async function tailComesBack(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const node = await nodeOf(stage, 'owner');
  node.lines.store.set('frozen');
  const ms = await lasting(random, 2_000, 6_000);
  // Only what it had not written to its disk is lost, and what was on its way.
  show.encoder.allowLoss(segmentMs, 'its owner was killed with a tail');
  await node.kill();
  node.lines.store.set('through');
  await until(
    async () => (await cluster.holder(show.channel_id)) !== node && show.encoder.isLetIn,
    {
      withinMs: 30_000,
      otherwise: 'nobody takes the push',
    },
  );
  await lasting(random, 0, 3_000);
  await node.start();
  await carried(stage, node);
  return `${node.name} after ${ms} ms`;
}

/** Its stints are named as far as they will be. */
async function carried({ cluster }: FaultStage, { name }: ClusterNode): Promise<void> {
  const text = 'SELECT 1 FROM recording_stints WHERE node = $1 AND carried = 0';
  await until(async () => (await cluster.rows(text, [name])).length === 0, {
    withinMs: 60_000,
    otherwise: `the tail of ${name} is not carried`,
  });
}

async function diskLost(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const node = await nodeOf(stage, 'owner');
  const mode = random.pick(['frozen', 'failing', 'cut'] as const);
  node.lines.store.set(mode);
  // All that the store has not taken goes with the disk.
  const ms = await lasting(random, 1_000, 6_000);
  show.encoder.allowLoss(segmentMs + namedMs + ms, 'it was spooled on a disk that is gone');
  await node.kill();
  node.loseDisk();
  node.lines.store.set('through');
  await node.start(cluster.token);
  return `${node.name}, ${mode} for ${ms} ms`;
}

/** Through another node than the one that has the push: the encoder is thrown out, and its old key is good no more. */
async function keyRotated(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const { channel_id, encoder } = show;
  const owner = await nodeOf(stage, 'owner');
  const other = random.pick(cluster.nodes.filter((node) => node !== owner));
  const before = encoder.pushed.length;
  encoder.allowLoss(segmentMs, 'its key was changed');
  const path = `/manage/v1/channels/${channel_id}/rotate-key`;
  const { status, body, text } = await other.service.call('POST', path, { body: {} });
  if (status !== 200) throw new Error(`the key is not changed: ${status} ${text}`);
  await until(() => !encoder.isLetIn || encoder.pushed.length > before, {
    withinMs: 10_000,
    otherwise: `${owner.name} does not throw the encoder out`,
  });
  const ms = await lasting(random, 500, 2_000);
  if (encoder.pushed.length > before) throw new Error('the old key is let in');
  encoder.path = new URL(body.rtmp_publish_addr).pathname;
  return `on ${other.name}, of ${owner.name}; the new one after ${ms} ms`;
}

/** Two of three die one after the other: every tab of a viewer comes to the one that is left. */
async function tabsLoseNodes(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const stays = random.pick(cluster.nodes);
  const dying = cluster.nodes.filter((node) => node !== stays);
  if (random.next() < 0.5) dying.reverse();
  for (const node of dying) {
    if (await isOwner(stage, node))
      show.encoder.allowLoss(segmentMs + namedMs, 'its owner was killed');
    await node.kill();
    await lasting(random, 0, 4_000);
  }
  await until(() => show.pages.every((page) => page.isWatching && page.node === stays), {
    withinMs: 60_000,
    otherwise: `not all pages are on ${stays.name}`,
  });
  await lasting(random, 0, 4_000);
  for (const node of dying) await node.start();
  return `all but ${stays.name}`;
}

async function clockSet({ cluster, clocks, random }: FaultStage): Promise<string> {
  const { name } = random.pick(cluster.nodes);
  const ms = random.pick([-1, 1]) * random.whole(1_000, 5_000);
  clocks.get(name)?.jump(ms);
  await lasting(random, 1_000, 4_000);
  return `that of ${name} by ${ms} ms`;
}

/** Whoever makes the files of a short show dies in the middle; they are made all the same, once. */
async function jobRunnerKilled(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const { service } = random.pick(cluster.nodes);
  const { id, publishUrl } = await newLiveChannel(service, 'a short show');
  const push = await startClipPush(publishUrl);
  await until(() => push.sentMs() > shortShowMs, { withinMs: 60_000, otherwise: 'it does not go' });
  await push.end();
  const ofShow = (what: string) =>
    cluster.rows<{ leased_by: string }>(
      `SELECT j.leased_by FROM jobs j JOIN videos v ON v.id = j.video_id
       WHERE v.channel_id = $1 AND j.state ${what}`,
      [id],
    );
  let runners: { leased_by: string }[] = [];
  const isRun = async () => {
    runners = await ofShow("= 'running'");
    return runners.length > 0;
  };
  await until(isRun, { withinMs: 60_000, otherwise: 'no job of a short show is run' });
  const node = cluster.node(runners[0]?.leased_by.split('/', 1).join() ?? '');
  if (await isOwner(stage, node))
    show.encoder.allowLoss(segmentMs + namedMs, 'its owner was killed');
  await node.kill();
  await lasting(random, 0, 2_000);
  await node.start();
  await until(async () => (await ofShow("IN ('waiting', 'running')")).length === 0, {
    withinMs: jobsWithinMs,
    otherwise: 'the jobs of a short show do not end',
  });
  const failed = await ofShow("<> 'done'");
  if (failed.length > 0) throw new Error(`${failed.length} jobs of a short show have failed`);
  const videos = await cluster.videos(id);
  if (videos.length !== 1) throw new Error(`a short show has ${videos.length} videos`);
  return `${node.name}`;
}

const shortShowMs = 4_000;
/** A lease of two minutes may have to run out, and jobs wait for the processor. */
const jobsWithinMs = 300_000;
