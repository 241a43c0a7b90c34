// What `/openapi.json` says of the audit log.
import * as z from 'zod';
import { targetKinds } from '../../base/api/audited.ts';
import { docs } from '../../base/api/route.ts';
import { doerKinds } from './audit-entry.ts';
import { auditWays } from './audit-note.ts';
import { auditGroups } from './audit-operations.ts';

const entryAnswer = z
  .object({
    id: z.int(),
    at: z.string(),
    via: z.enum(auditWays).meta({ description: 'by which way it came' }),
    who: z.object({
      kind: z.enum(doerKinds),
      id: z.int().meta({ description: 'of the person or the token; 0 for the command line' }),
      name: z.string().meta({ description: 'the name they had then' }),
      manager: z
        .object({ id: z.int(), username: z.string() })
        .nullable()
        .meta({ description: "whom they stand for; null for the account's own side" }),
    }),
    operation: z.string().meta({
      description:
        'the operationId of this document; `refusedSignIn` for a wrong password; the name of a command',
    }),
    group: z.enum(auditGroups),
    target: z
      .object({
        kind: z.enum(targetKinds),
        id: z.int(),
        name: z.string().meta({ description: 'the name it had before; may be empty' }),
      })
      .nullable(),
    channel_id: z.int().meta({ description: 'the channel it is about; 0 for none' }),
    fields: z.array(z.string()).meta({ description: 'those that the request set, by name' }),
    values: z
      .record(z.string(), z.string())
      .meta({ description: 'of those fields that are plain names; of an upload its name' }),
    address: z.string().meta({ description: 'whence it came; empty for the command line' }),
    times: z.int().meta({ description: 'how often: refused sign-ins of an hour share a row' }),
  })
  .meta({ title: 'AuditEntry' });

const entryExample = {
  id: 812,
  at: '2026-05-01 19:29:08',
  via: 'console' as const,
  who: { kind: 'person' as const, id: 3, name: 'Anna', manager: null },
  operation: 'renameChannel',
  group: 'channels' as const,
  target: { kind: 'channel' as const, id: 12, name: 'Launch' },
  channel_id: 12,
  fields: ['name'],
  values: { name: 'Spring launch' },
  address: '203.0.113.9',
  times: 1,
};

export const auditDocs = {
  listAudit: docs({
    summary: 'Who did what, when and from where, the newest first',
    note: 'Every write that was answered is in it, and reads that take people’s data along. With several filters, or `q`, a page may have fewer rows than asked for and still a next one.',
    answer: z
      .object({
        entries: z.array(entryAnswer),
        next_before: z
          .string()
          .nullable()
          .meta({ description: '`before` for older rows; null where there are none' }),
      })
      .meta({ title: 'Audit' }),
    example: { entries: [entryExample], next_before: '1777663748000-812' },
  }),
  exportAudit: docs({
    summary: 'The audit log as CSV, the newest first',
    note: 'One line a row, with a header line. That it was taken along is in the log, too.',
    answer: z.string(),
    example: '812,2026-05-01 19:29:08,console,person,3,Anna,,renameChannel,channels,channel,12,…',
  }),
};
