// `footlight node list|rotate-secret|drain`: the nodes on a database, and what an operator does to them.
import type { Dialect, Store } from '../../base/db/sql.ts';
import { rotateLinkSecret } from '../../base/links/link-secret-store.ts';
import { silentMsMax, stateOfNode } from '../../base/nodes/node-state.ts';
import { drainNode, type NodeRow, nodesNow } from '../../base/nodes/node-store.ts';
import { pushesByNode } from '../../control/node-pushes-store.ts';
import { pushCountOf } from '../../stream/live/push-holder-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { CommandError, notFound, refused } from '../parts/exit-codes.ts';
import { flag, word } from '../parts/option.ts';
import type { Output } from '../parts/output.ts';
import { something } from '../parts/value-kinds.ts';

const lookEveryMs = 500;
/** One that drains and has given no sign of life for so long was killed meanwhile. */
const killedMs = 10_000;

export const nodeCommands: readonly Command[] = [
  command({
    name: 'node list',
    audit: 'nothing',
    sentence: 'Which nodes run on the database: where each is reached, what it has, how it does.',
    more: 'A node that was killed is listed for a week, as silent; one that stopped by itself is gone at once.',
    examples: ['node list', 'node list --json'],
    run: async (_, run) => {
      const { zone } = run.config;
      const listed = await withStore(run, async (store) => {
        const pushes = await store.perform(pushesByNode, {});
        return { dialect: store.dialect, pushes, ...(await nodesNow(store)) };
      });
      const { at, nodes, pushes, dialect } = listed;
      const shown = nodes.map((row) => ({
        name: row.node,
        address: row.link_url,
        version: row.version,
        state: stateOfNode({ row, silentMs: at - row.seen_at }),
        started_at: zone.dateTime(row.started_at),
        pushes: pushes.find(({ node }) => node === row.node)?.pushes ?? 0,
        clock_ahead_ms: row.clock_ahead_ms,
        seen_at: zone.dateTime(row.seen_at),
        recordings: row.bucket ?? '',
      }));
      await run.out.all(shown, [
        'name',
        'address',
        'version',
        ['state', ({ state, seen_at }) => (state === 'silent' ? `silent since ${seen_at}` : state)],
        ['runs since', ({ started_at }) => started_at],
        'pushes',
        ['clock ahead', ({ clock_ahead_ms }) => `${clock_ahead_ms} ms`],
        ['last sign of life', ({ seen_at }) => seen_at],
      ]);
      const remark = remarkOn(dialect, shown);
      if (remark !== '') await run.out.remark(remark);
    },
  }),
  command({
    name: 'node rotate-secret',
    audit: 'service',
    sentence:
      'Make a new secret for the links between nodes. The one before stays good, so that no link is lost; done twice, a minute apart, it is good no more.',
    run: async (_, run) => {
      await withStore(run, (store) => store.perform(rotateLinkSecret, {}));
      await run.out.thing({ rotated: true });
    },
  }),
  command({
    name: 'node drain',
    audit: 'service',
    sentence:
      'Have a node hand over its pushes, pages and job to the others, and end, as SIGTERM does. It may be on any machine.',
    more: 'The node ends with exit code 0. What runs it decides whether it comes back: with `Restart=always`, or as a container that is always restarted, it is a restart without a gap; with `Restart=on-failure` the node stays away.',
    words: { node: word(something, 'the name of the node', 'Its `NODE_NAME`.') },
    options: { 'no-wait': flag('Do not stay until it is gone.') },
    examples: ['node drain node-2', 'node drain node-2 --no-wait'],
    run: async ({ node, 'no-wait': isLeft }, run) => {
      const { out } = run;
      await withStore(
        run,
        async (store) => {
          const { asked, heirs } = await drainable(store, node);
          if (!(await store.perform(drainNode, asked)))
            throw refused(`the node "${node}" has ended by itself just now`);
          await out.remark(drainsTo(node, heirs));
          if (!isLeft) await untilGone(store, asked, out);
        },
        { note: { told: { name: node } } },
      );
      await out.thing({ node, gone: !isLeft });
    },
  }),
];

interface SeenNode extends NodeRow {
  silent_ms: number;
}

async function seenNodes(store: Store): Promise<SeenNode[]> {
  const { at, nodes } = await nodesNow(store);
  return nodes.map((row) => ({ ...row, silent_ms: at - row.seen_at }));
}

/** The node, and those that can take what it has; throws where nobody would hear that it is to drain. */
async function drainable(store: Store, node: string) {
  if (store.dialect === 'sqlite')
    throw refused(
      'this service has its database for itself, and no other node could take what it has: stop it with SIGTERM',
    );
  const nodes = await seenNodes(store);
  const asked = nodes.find((one) => one.node === node);
  const isThere = ({ silent_ms }: SeenNode) => silent_ms <= silentMsMax;
  const there = nodes.filter(isThere);
  const names = there.map((one) => one.node).join(', ');
  if (!asked)
    throw notFound(`No node "${node}"${names === '' ? '' : `; those that run are ${names}`}`);
  if (!isThere(asked)) {
    const seconds = Math.round(asked.silent_ms / 1_000);
    throw refused(
      `the node "${node}" has said nothing for ${seconds} s: it is gone, or cut off from the database, and would not hear of it`,
    );
  }
  const heirs = there.filter(
    ({ link_url, draining, run }) => link_url !== '' && draining === 0 && run !== asked.run,
  );
  return { asked, heirs: asked.link_url === '' ? [] : heirs };
}

function drainsTo(node: string, heirs: readonly SeenNode[]): string {
  if (heirs.length === 0)
    return `${node} stops: no other node is there to take what it has, so its shows end`;
  return `${node} drains: nobody new is led to it, and what it has goes to ${heirs.map((one) => one.node).join(', ')}`;
}

async function untilGone(store: Store, asked: SeenNode, out: Output): Promise<void> {
  const { node } = asked;
  let told = -1;
  for (;;) {
    const now = (await seenNodes(store)).find(({ run }) => run === asked.run);
    if (!now) break;
    if (now.silent_ms > killedMs)
      throw new CommandError('failed', `the node "${node}" fell silent before it was gone`);
    const pushes = await store.perform(pushCountOf, { node });
    if (pushes !== told) await out.remark(`${pushes} pushes are still there`);
    told = pushes;
    await Bun.sleep(lookEveryMs);
  }
  await out.remark(`${node} is gone`);
}

/** Empty where there is nothing to say beside the list. */
function remarkOn(dialect: Dialect, { length }: readonly object[]): string {
  if (dialect === 'sqlite')
    return 'footlight: this is SQLite, which one service has for itself; nodes share a PostgreSQL';
  if (length === 0) return 'footlight: no service runs on this database';
  return length === 1 ? 'footlight: one service runs on this database, without others' : '';
}
