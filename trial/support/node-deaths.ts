// Faults of a cluster in which nodes die: with their disk or without it, under a takeover, under tabs and jobs.

import { startClipPush } from '../../test/support/clip-push.ts';
import type { ClusterNode } from '../../test/support/cluster/cluster-node.ts';
import { newLiveChannel, until } from '../../test/support/live-channel.ts';
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

export async function killed(stage: FaultStage, role: Role): Promise<string> {
  const { show, random } = stage;
  const node = await nodeOf(stage, role);
  if (await isOwner(stage, node))
    show.encoder.allowLoss(segmentMs + namedMs, 'its owner was killed');
  await node.kill();
  const ms = await lasting(random, 0, 5_000);
  await node.start();
  return `${node.name} for ${ms} ms`;
}

export async function databaseRestarted(stage: FaultStage): Promise<string> {
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
export async function tailComesBack(stage: FaultStage): Promise<string> {
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

export async function diskLost(stage: FaultStage): Promise<string> {
  const { cluster, show, random } = stage;
  const node = await nodeOf(stage, 'owner');
  // What it has of earlier stints would go too, if the store was away before.
  const earlier = `SELECT 1 FROM recording_stints s JOIN pushes p ON p.channel_id = s.channel_id
     WHERE s.node = $1 AND s.carried = 0 AND (s.push <> p.push OR s.epoch <> p.epoch)`;
  await until(async () => (await cluster.rows(earlier, [node.name])).length === 0, {
    withinMs: 60_000,
    otherwise: `the tails of ${node.name} are not carried`,
  });
  // After a fault of the store it rests for some seconds, and what has waited meanwhile would go too.
  await until(async () => (await segmentsWaiting(node)) === 0, {
    withinMs: 60_000,
    otherwise: `${node.name} has not carried what it has spooled`,
  });
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

/** Of recordings, on its disk for the store. */
async function segmentsWaiting({ url }: ClusterNode): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^footlight_spool_segments (\d+)$/m.exec(text)?.[1]);
}

/** Two of three die one after the other: every tab of a viewer comes to the one that is left. */
export async function tabsLoseNodes(stage: FaultStage): Promise<string> {
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

/** Whoever makes the files of a short show dies in the middle; they are made all the same, once. */
export async function jobRunnerKilled(stage: FaultStage): Promise<string> {
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
