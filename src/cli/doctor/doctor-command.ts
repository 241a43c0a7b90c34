// `footlight doctor`: whether this machine and these settings are fit for the service, and what to do where not.
import { command } from '../parts/command.ts';
import { exitCodes } from '../parts/exit-codes.ts';
import { bucketFindings } from './doctor-bucket.ts';
import { databaseFindings } from './doctor-database.ts';
import { diskFindings } from './doctor-disk.ts';
import { type Finding, looked } from './doctor-finding.ts';
import { clockFindings, descriptorFindings, transcoderFindings } from './doctor-machine.ts';
import { certificateFindings, portFindings, publicAddressFindings } from './doctor-network.ts';
import { settingFindings } from './doctor-settings.ts';

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };

export const doctorCommand = command({
  name: 'doctor',
  audit: 'nothing',
  withWrongSettings: true,
  sentence: 'Look whether this machine and these settings are fit for the service.',
  more: 'Each line is ok, warning or failed, with what to do; the exit code is 1 where anything failed. Nothing is changed: a file of 16 MB is written to DATA_DIR, where that is there, and a small object to S3_BUCKET, where that is set; both are removed again. The service may run meanwhile.',
  examples: ['doctor', 'doctor --json'],
  run: async (_, run) => {
    const { config, out } = run;
    const checks: [string, () => Promise<Finding[]>][] = [
      ['settings', async () => settingFindings(run)],
      ['database', () => databaseFindings(config)],
      ['disk', () => diskFindings(config)],
      ['S3', () => bucketFindings(config)],
      ['ports', () => portFindings(config)],
      ['public address', () => publicAddressFindings(run)],
      ['certificate', () => certificateFindings(config)],
      ['clock', () => clockFindings(config)],
      ['descriptors', () => descriptorFindings(config)],
      ['transcoder', () => transcoderFindings(config)],
    ];
    const failed: Finding[] = [];
    for (const [check, look] of checks)
      for (const finding of await looked(check, look)) {
        if (finding.state === 'failed') failed.push(finding);
        if (out.isJson) await out.line(finding);
        else await out.text(textOf(finding));
      }
    return failed.length > 0 ? exitCodes.failed.code : exitCodes.done.code;
  },
});

function textOf({ check, state, says, remedy }: Finding): string {
  const line = `${marks[state]}  ${check}: ${says}`;
  return remedy === '' ? line : `${line}\n         ${remedy}`;
}
