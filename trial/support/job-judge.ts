// Whether the jobs of a video were done, by what the service logged of them.
import type { JobKind } from '../../src/library/jobs/job.ts';
import { until } from '../../test/support/live-channel.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';

/** How soon is tried elsewhere: they run one at a time, and only when nobody else wants the processor. */
const jobsWithinMs = 240_000;

/** Waits until the video's MP4, its cover and these variants are made, or one of them has failed. */
export async function jobProblems(
  service: ServiceProcess,
  video: number,
  variants: readonly JobKind[],
): Promise<string[]> {
  const kinds: JobKind[] = ['mp4', 'cover', ...variants];
  const told = (kind: JobKind) =>
    service
      .log()
      .split('\n')
      .find((line) => line.includes('"job ') && isAbout(line, { kind, video }));
  await until(() => kinds.every((kind) => told(kind)), {
    withinMs: jobsWithinMs,
    otherwise: `the jobs of video ${video} did not end: ${kinds.filter((kind) => !told(kind))}`,
  });
  return kinds.map((kind) => told(kind) ?? '').filter((line) => !line.includes('"job done"'));
}

function isAbout(line: string, { kind, video }: { kind: JobKind; video: number }): boolean {
  return line.includes(`"kind":"${kind}","video":${video},`);
}
