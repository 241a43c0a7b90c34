// What recordings leave on the disk and in the queue of jobs, when all is done that they need.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordingFileNames } from '../../src/stream/recording/recording-folder.ts';
import { until } from '../../test/support/live-channel.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';

/** A job that was killed is taken up again when its lease has run out, which is two minutes. */
const jobsWithinMs = 400_000;

/** A job that was killed three times is given up, which is an end too. */
export async function untilJobsEnd(settings: DatabaseSettings): Promise<void> {
  const haveEnded = () =>
    asking(settings, async (ask) => {
      const [left] = await ask("SELECT id FROM jobs WHERE state IN ('waiting', 'running') LIMIT 1");
      return left === undefined;
    });
  await until(haveEnded, { withinMs: jobsWithinMs, otherwise: 'the jobs do not end' });
}

const inTheMaking = /\.tmp-/;

/** There is a folder for each video, and in it nothing but its files. */
export function diskProblems(
  dataDir: string,
  given: { videos: number; mayBeMaking: boolean },
): string[] {
  const root = join(dataDir, 'recordings');
  const folders = readdirSync(root);
  const problems = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter(
        (file) =>
          !recordingFileNames.includes(file) && !(given.mayBeMaking && inTheMaking.test(file)),
      )
      .map((file) => `${folder}/${file} was left over`),
  );
  if (folders.length !== given.videos)
    problems.push(`${given.videos} videos have ${folders.length} folders`);
  return problems;
}
