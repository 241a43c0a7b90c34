// The doctor on the bucket: whether objects can be put, read, listed and removed, and how long that takes.
import { Bucket } from '../../base/objects/bucket.ts';
import { bucketProblem } from '../../base/objects/bucket-check.ts';
import type { Config } from '../../config.ts';
import { bucketOptions } from '../../settings/bucket-settings.ts';
import { type Finding, findings, msText } from './doctor-finding.ts';

const tell = findings('S3');

/** Of the five requests together: a segment of two seconds is one of them. */
const slowMs = 5_000;

/** Nothing where no bucket is set. */
export async function bucketFindings(config: Config): Promise<Finding[]> {
  const options = bucketOptions(config);
  if (!options) return [];
  const bucket = new Bucket(options);
  const begunAt = performance.now();
  const problem = await bucketProblem(bucket);
  if (problem)
    return [
      tell.failed(
        problem.sentence,
        problem.mayPass
          ? 'Look at the store: until then recordings wait on the disk of DATA_DIR.'
          : 'Mend the setting: the service does not start with it.',
      ),
    ];
  const tookMs = performance.now() - begunAt;
  const says = `an object in ${bucket.name} is put, read, listed and removed in ${msText(tookMs)}`;
  return [
    tookMs < slowMs
      ? tell.ok(says)
      : tell.warning(says, 'Recordings come late into S3: use a store that is nearer or faster.'),
  ];
}
