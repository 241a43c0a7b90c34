// The doctor on the machine: clock and zone, descriptors, the transcoder.
import { readFile } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import { readFlvFile } from '../../stream/formats/flv-file.ts';
import { PictureProcess } from '../../stream/pictures/picture-process.ts';
import { isTranscoderInstalled } from '../../stream/recording/worker/transcoder.ts';
import { testClip } from '../parts/clip-file.ts';
import { type Finding, findings, msText } from './doctor-finding.ts';

/** Before this program was written no clock is right. */
const earliest = Date.UTC(2026, 0, 1);
const comparedMs = 500;
/** Within that time a clock that is only being slewed is off by a quarter of a millisecond. */
const jumpMs = 50;

export async function clockFindings({ zone }: Config): Promise<Finding[]> {
  const tell = findings('clock');
  const remedy = 'Let it follow a time server (chrony or systemd-timesyncd).';
  const [wall, monotonic] = [Date.now(), performance.now()];
  if (wall < earliest)
    return [tell.failed(`it says ${new Date(wall).toISOString()}, which is past`, remedy)];
  await Bun.sleep(comparedMs);
  const jumpedMs = Math.abs(Date.now() - wall - (performance.now() - monotonic));
  const system = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shown = `it is ${zone.dateTime(Date.now())} in TIME_ZONE ${zone.name}`;
  return [
    jumpedMs < jumpMs
      ? tell.ok('it goes on evenly')
      : tell.warning(`it jumped by ${msText(jumpedMs)} within half a second`, remedy),
    system === zone.name
      ? tell.ok(shown)
      : tell.ok(`${shown}; this machine's own zone is ${system}`),
  ];
}

/** Of the database, workers, files and the listeners. */
const ownDescriptors = 128;
/** A show of some thousand viewers has as many connections. */
const fewDescriptors = 4_096;

export async function descriptorFindings({ bounds }: Config): Promise<Finding[]> {
  const tell = findings('descriptors');
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, limit = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (limit === '' || limit === 'unlimited')
    return [tell.ok(limit === '' ? 'this system does not say how many there are' : 'no limit')];
  const { connectionsMax } = bounds.http;
  const wanted = connectionsMax > 0 ? connectionsMax + ownDescriptors : fewDescriptors;
  const says = `${limit} may be open at once`;
  if (Number(limit) >= wanted) return [tell.ok(says)];
  return [
    tell.warning(
      connectionsMax > 0 ? `${says}, and HTTP_CONNECTIONS is ${connectionsMax}` : says,
      'Raise it: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536 before the start.',
    ),
  ];
}

/** In a process of its own, as always: it decodes a picture of the test clip. */
export async function transcoderFindings({ jobMemoryBytes }: Config): Promise<Finding[]> {
  const tell = findings('transcoder');
  if (!isTranscoderInstalled())
    return [
      tell.warning(
        'node-av is not installed: no covers, no smaller sizes of what is live or recorded, and uploads must be H.264 and AAC',
        'npm install node-av@6.1.1, where its licence (GPL version 3) suits you.',
      ),
    ];
  const decoding = new PictureProcess({ memoryBytesMax: jobMemoryBytes, decodeWithinMs: 30_000 });
  try {
    const answer = await decoding.make(await keyFrameOfClip());
    if (answer.made) return [tell.ok('node-av decodes a picture')];
    return [
      tell.failed(
        `node-av is installed and does not work: ${answer.problem}`,
        'Install it anew for this machine (npm install node-av@6.1.1), or give JOB_MEMORY more.',
      ),
    ];
  } finally {
    decoding.stop();
  }
}

/** Behind a tag's first five bytes (FLV 10.1 E.4.3). */
const tagHeadBytes = 5;

async function keyFrameOfClip() {
  let record: Uint8Array | undefined;
  for (const { type, body } of readFlvFile(await readFile(testClip))) {
    if (type !== 'video') continue;
    const [head = 0, kind] = body;
    if (kind === 0) record = body.subarray(tagHeadBytes);
    else if (record && head >> 4 === 1) return { record, bytes: body.subarray(tagHeadBytes) };
  }
  throw new Error('the test clip has no key frame');
}
