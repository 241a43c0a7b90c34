// Why a job is given up for what its recording is, or would take: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const jobRefusals = {
  media: 'The recording holds what this cannot be made of',
  picture: 'The picture is too large to decode (JOB_MEMORY)',
  memory: 'The job took more memory than it may (JOB_MEMORY)',
} as const;

export type JobReason = keyof typeof jobRefusals;
export type JobBook = RefusalBook<JobReason>;
