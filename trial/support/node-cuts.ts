// Faults of a cluster in which nodes live: frozen, cut off, without their store, told another key or another time.
import { ClusterEncoder } from '../../test/support/cluster/cluster-encoder.ts';
import type { LineMode } from '../../test/support/fault-line.ts';
import { taken, until } from '../../test/support/live-channel.ts';
import {
  type FaultStage,
  holdMs,
  isOwner,
  lasting,
  namedMs,
  nodeOf,
  type Role,
  segmentMs,
} from './fault-stage.ts';

/** Shorter than anybody would notice, or long enough that the push is another's when it goes on. */
export async function frozen(stage: FaultStage, role: Role): Promise<string> {
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

export async function withoutDatabase(stage: FaultStage, role: Role): Promise<string> {
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

export async function apart({ cluster, random }: FaultStage): Promise<string> {
  const node = random.pick(cluster.nodes);
  const mode = random.pick(['cut', 'silent'] as const);
  node.lines.links.set(mode);
  const ms = await lasting(random, 500, 8_000);
  node.lines.links.set('through');
  return `nobody reaches ${node.name}, ${mode} for ${ms} ms`;
}

export async function encoderCut({ show, random }: FaultStage): Promise<string> {
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
export async function twoEncoders({ cluster, show, random }: FaultStage): Promise<string> {
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

export async function storeIs(stage: FaultStage, modes: readonly LineMode[]): Promise<string> {
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
export async function storeFrozen(stage: FaultStage): Promise<string> {
  const { cluster, random } = stage;
  if (random.next() < 0.5) return await storeIs(stage, ['frozen']);
  cluster.store.pause(true);
  const ms = await lasting(random, 1_000, 8_000);
  cluster.store.pause(false);
  return `its process, ${ms} ms`;
}

export async function storeFull(stage: FaultStage): Promise<string> {
  const { cluster, random } = stage;
  const { fill } = cluster.store;
  if (!fill) return await storeIs(stage, ['full']);
  await fill(true);
  const ms = await lasting(random, 1_000, 8_000);
  await fill(false);
  return `by its quota, ${ms} ms`;
}

/** Through another node than the one that has the push: the encoder is thrown out, and its old key is good no more. */
export async function keyRotated(stage: FaultStage): Promise<string> {
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

export async function clockSet({ cluster, clocks, random }: FaultStage): Promise<string> {
  const { name } = random.pick(cluster.nodes);
  const ms = random.pick([-1, 1]) * random.whole(1_000, 5_000);
  clocks.get(name)?.jump(ms);
  await lasting(random, 1_000, 4_000);
  return `that of ${name} by ${ms} ms`;
}
