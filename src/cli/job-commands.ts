// `footlight job list|retry`.
import { jobStates } from '../library/jobs/job.ts';
import { listJobs, retryJob } from '../library/jobs/job-store.ts';
import { type Command, oneId, printLine, readOptions, UsageError, withStore } from './command.ts';

/** Read at a time. */
const pageRows = 500;

export const jobCommands: Command[] = [
  {
    name: 'job list',
    audit: 'nothing',
    usage: `job list [--state ${jobStates.join('|')}]`,
    sentence: 'What is being made of recordings, one JSON line each: mp4, cover, variants.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['state']);
      const state = jobStates.find((one) => one === options.state);
      if (options.state !== undefined && !state)
        throw new UsageError(`--state must be one of ${jobStates.join(', ')}`);
      await withStore(config, async (store) => {
        for (let offset = 0; ; offset += pageRows) {
          const { rows } = await store.perform(listJobs, { state, limit: pageRows, offset });
          for (const { id, video_id, kind, state, tries, problem, changed_at } of rows) {
            const at = config.zone.dateTime(changed_at);
            printLine({ id, video_id, kind, state, tries, problem, changed_at: at });
          }
          if (rows.length < pageRows) return;
        }
      });
      return 0;
    },
  },
  {
    name: 'job retry',
    audit: 'videos',
    usage: 'job retry ID',
    sentence: 'Let a failed job begin again, as if it had never been tried.',
    run: async (words, config) => {
      const id = oneId(words, 'the job id');
      const state = await withStore(config, (store) =>
        store.perform(retryJob, { id, now: Date.now() }),
      );
      if (state === undefined) throw new Error(`there is no job ${id}`);
      if (state !== 'failed')
        throw new Error(`job ${id} is ${state}: only a failed one can be tried again`);
      printLine({ id, state: 'waiting' });
      return 0;
    },
  },
];
