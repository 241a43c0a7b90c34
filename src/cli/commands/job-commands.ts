// `footlight job list|retry`.
import { jobStates } from '../../library/jobs/job.ts';
import { listJobs, retryJob } from '../../library/jobs/job-store.ts';
import { type Command, command } from '../parts/command.ts';
import { printAll, withStore } from '../parts/command-database.ts';
import { notFound, refused } from '../parts/exit-codes.ts';
import { option, word } from '../parts/option.ts';
import { id, oneOf } from '../parts/value-kinds.ts';

export const jobCommands: readonly Command[] = [
  command({
    name: 'job list',
    audit: 'nothing',
    sentence: 'What is being made of recordings: mp4, cover, variants.',
    options: { state: option(oneOf(jobStates), 'Only those.') },
    examples: ['job list --state failed'],
    run: async ({ state }, run) => {
      const { zone } = run.config;
      await withStore(run, (store) =>
        printAll(run.out, {
          read: (page) => store.perform(listJobs, { state, ...page }),
          shown: ({ id, video_id, kind, state, tries, problem, changed_at }) => {
            return {
              id,
              video_id,
              kind,
              state,
              tries,
              problem,
              changed_at: zone.dateTime(changed_at),
            };
          },
          columns: ['id', 'video_id', 'kind', 'state', 'tries', 'changed_at', 'problem'],
        }),
      );
    },
  }),
  command({
    name: 'job retry',
    audit: 'videos',
    sentence: 'Let a failed job begin again, as if it had never been tried.',
    words: { id: word(id, 'the job id', 'Which job; job list says which there are.') },
    examples: ['job retry 12'],
    run: async ({ id }, run) => {
      const state = await withStore(run, (store) =>
        store.perform(retryJob, { id, now: Date.now() }),
      );
      if (state === undefined) throw notFound(`there is no job ${id}`);
      if (state !== 'failed')
        throw refused(`job ${id} is ${state}: only a failed one can be tried again`);
      await run.out.thing({ id, state: 'waiting' });
    },
  }),
];
