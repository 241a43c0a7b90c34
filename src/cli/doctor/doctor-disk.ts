// The doctor on the disk: how much is free, how fast it writes, how long it takes to be sure of a write.
import { open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { sizeOf } from '../parts/progress.ts';
import { type Finding, findings, middleOf, msText } from './doctor-finding.ts';

const tell = findings('disk');

/** Below this the embedded database can soon not commit any more; `/readyz` has the same. */
const almostFull = 16 * 1_048_576;
/** So much is written to see how fast it is. */
const triedBytes = 16 * 1_048_576;
const pieceBytes = 1_048_576;
/** A push of 8 Mbit/s is 1 MB a second, and its mp4 is made beside it. */
const slowBytesPerSecond = 5_000_000;
const syncs = 5;
/** A commit of the embedded database is one or two of them. */
const slowSyncMs = 50;

export async function diskFindings(config: Config): Promise<Finding[]> {
  const { dataDir } = config;
  const found = await stat(dataDir).catch(() => undefined);
  const folder = found ? dataDir : await nearestFolder(dataDir);
  const free = await freeFinding(folder, config);
  if (!found)
    return [
      free,
      tell.warning(
        `DATA_DIR ${dataDir} is not there yet`,
        'Nothing, where the service was never started here: it makes it. Else set DATA_DIR.',
      ),
    ];
  if (!found.isDirectory())
    return [tell.failed(`DATA_DIR ${dataDir} is no folder`, 'Set DATA_DIR to a folder.')];
  return [free, ...ownerFindings(found, dataDir), ...(await speedFindings(dataDir))];
}

async function freeFinding(folder: string, { freeDiskBytesMin }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const says = `${sizeOf(free)} are free`;
  if (free < almostFull)
    return tell.failed(says, 'Make room: the service cannot write its database any more.');
  if (free < freeDiskBytesMin)
    return tell.warning(
      `${says}, less than MIN_FREE_DISK (${sizeOf(freeDiskBytesMin)}): nothing is recorded`,
      'Make room, delete videos, or lower MIN_FREE_DISK.',
    );
  return tell.ok(says);
}

/** It holds keys, tokens' hashes and viewers' data. */
function ownerFindings({ mode }: { mode: number }, dataDir: string): Finding[] {
  if ((mode & 0o077) === 0) return [];
  return [
    tell.warning(
      `others of this machine may enter DATA_DIR (mode ${(mode & 0o777).toString(8)})`,
      `chmod 700 ${dataDir}`,
    ),
  ];
}

/** In a file of its own, which is removed again. */
async function speedFindings(dataDir: string): Promise<Finding[]> {
  const path = join(dataDir, `.doctor-${process.pid}`);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      const piece = new Uint8Array(pieceBytes).fill(1);
      const took: number[] = [];
      for (let at = 0; at < syncs; at += 1) {
        const begunAt = performance.now();
        await file.write(piece, 0, 4_096, 0);
        await file.datasync();
        took.push(performance.now() - begunAt);
      }
      const begunAt = performance.now();
      for (let done = 0; done < triedBytes; done += pieceBytes)
        await file.write(piece, 0, pieceBytes, done);
      await file.datasync();
      const perSecond = (triedBytes * 1_000) / (performance.now() - begunAt);
      return [syncFinding(middleOf(took)), speedFinding(perSecond)];
    } finally {
      await file.close();
    }
  } catch (error) {
    const { message } = error as Error;
    return [
      tell.failed(
        `nothing can be written to ${dataDir}: ${message}`,
        'Make room, or let the user who runs the service own the folder.',
      ),
    ];
  } finally {
    await rm(path, { force: true });
  }
}

function syncFinding(ms: number): Finding {
  const says = `a small write is safe after ${msText(ms)}`;
  return ms < slowSyncMs
    ? tell.ok(says)
    : tell.warning(says, 'Every commit waits for it: put DATA_DIR on a faster disk.');
}

function speedFinding(bytesPerSecond: number): Finding {
  const says = `it takes ${sizeOf(bytesPerSecond)} a second`;
  return bytesPerSecond >= slowBytesPerSecond
    ? tell.ok(says)
    : tell.warning(says, 'Recordings may end early: put DATA_DIR on a faster disk.');
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (await stat(folder).catch(() => undefined)) return folder;
    if (folder === dirname(folder)) return folder;
  }
}
