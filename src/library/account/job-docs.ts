// What `/openapi.json` says of what is being made of an account's recordings.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { jobKinds, jobStates } from '../jobs/job.ts';

const jobAnswer = z
  .object({
    id: z.int(),
    kind: z.enum(jobKinds).meta({ description: 'which file of the video' }),
    video: z.object({ id: z.int(), name: z.string() }),
    state: z.enum(jobStates),
    tries: z.int().meta({ description: 'how often it was begun' }),
    problem: z
      .string()
      .meta({ description: 'why the last try failed or was put off; empty where none was' }),
    created_at: z.string(),
    changed_at: z.string(),
  })
  .meta({ title: 'Job' });

const count = z.int();

export const jobDocs = {
  listJobs: docs({
    summary: 'List what is being made of recordings, the newest first',
    answer: z
      .object({
        jobs: z.array(jobAnswer),
        counts: z.object({ waiting: count, running: count, done: count, failed: count }),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'Jobs' }),
    example: {
      jobs: [
        {
          id: 31,
          kind: '720' as const,
          video: { id: 9, name: 'Spring launch 2026-05-01 19:30' },
          state: 'failed' as const,
          tries: 3,
          problem: 'it needed more memory than JOB_MEMORY allows',
          created_at: '2026-05-01 20:31:02',
          changed_at: '2026-05-01 20:44:40',
        },
      ],
      counts: { waiting: 0, running: 0, done: 12, failed: 1 },
      meta: { total: 13, page: 1, current: 1 },
      links: { next_url: null, end_url: 'https://live.example.com/manage/v1/jobs?p=1' },
    },
  }),
  retryJob: docs({
    summary: 'Let a failed job begin again, as if it had never been tried',
    answer: z.object({ id: z.int(), state: z.literal('waiting') }),
    example: { id: 31, state: 'waiting' as const },
    errors: ['notFailed'],
  }),
};
