// What `/openapi.json` says of the nodes.
import * as z from 'zod';
import { docs } from '../base/api/route.ts';
import { nodeStates } from '../base/nodes/node-state.ts';

const nodeAnswer = z
  .object({
    name: z.string(),
    answers: z.boolean().meta({ description: 'whether it is the one that answers this' }),
    version: z.string(),
    state: z.enum(nodeStates).meta({
      description:
        '`draining`: it is about to go and takes nothing new; `silent`: it has given no sign of life for three seconds; one that was killed is so for a week',
    }),
    started_at: z.string(),
    seen_at: z.string().meta({ description: 'its last sign of life' }),
    linked: z.boolean().nullable().meta({
      description:
        'whether the node that answers has a link to it; null of itself, and where there are no links',
    }),
    round_trip_ms: z
      .number()
      .nullable()
      .meta({ description: 'the time over that link and back; null where it is not known' }),
    pushes: z.int().meta({ description: 'channels that it has on air, of all accounts' }),
    channels: z
      .array(z.object({ id: z.int(), name: z.string() }))
      .meta({ description: 'those of the account, the latest first; 200 of all nodes at most' }),
    viewers: z.int().nullable().meta({
      description: 'who is at it, of all accounts; null where it does not answer',
    }),
    recordings: z
      .enum(['disk', 'bucket'])
      .nullable()
      .meta({ description: 'where it keeps them; null of an older version' }),
    spool: z
      .object({
        waiting: z.int().meta({ description: 'segments that wait on its disk for S3' }),
        away: z.boolean().meta({ description: 'S3 did not take what it was last given' }),
      })
      .nullable()
      .meta({
        description: 'null where recordings stay on the disk, or the node does not answer',
      }),
  })
  .meta({ title: 'Node' });

export const nodeDocs = {
  listNodes: docs({
    summary: 'List the nodes on the database: who is there, what each has, what ails',
    note: 'In the order of their names. A service on SQLite, and one that has its PostgreSQL for itself, is the only one. How many pushes and viewers a node has is of all accounts, as `/metrics` tells it; channels are the caller’s. What a node knows of itself alone is asked over its link, for half a second.',
    answer: z
      .object({
        several: z.boolean().meta({
          description: 'whether there are others, or this one has a `NODE_NAME` or `NODE_URL`',
        }),
        nodes: z.array(nodeAnswer),
      })
      .meta({ title: 'Nodes' }),
    example: {
      several: true,
      nodes: [
        {
          name: 'node-1',
          answers: true,
          version: '1.2.0',
          state: 'there' as const,
          started_at: '2026-05-01 08:00:12',
          seen_at: '2026-05-01 19:40:05',
          linked: null,
          round_trip_ms: null,
          pushes: 1,
          channels: [{ id: 112, name: 'Spring launch' }],
          viewers: 122,
          recordings: 'bucket' as const,
          spool: { waiting: 1, away: false },
        },
        {
          name: 'node-2',
          answers: false,
          version: '1.2.0',
          state: 'there' as const,
          started_at: '2026-05-01 08:02:40',
          seen_at: '2026-05-01 19:40:05',
          linked: true,
          round_trip_ms: 0.4,
          pushes: 0,
          channels: [],
          viewers: 62,
          recordings: 'bucket' as const,
          spool: { waiting: 0, away: false },
        },
      ],
    },
  }),
};
