// Where a video's mp4 is read from: this node's disk, or its address.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import type { Config } from '../../config.ts';
import type { ManagedVideoRow } from '../../library/videos/managed-video.ts';
import { videoView } from '../../library/videos/video.ts';
import { mp4File, recordingFolder } from '../../stream/recording/recording-folder.ts';
import { findRecording } from '../../stream/recording/recording-store.ts';
import { siteAddress } from '../parts/addresses.ts';
import { CommandError } from '../parts/exit-codes.ts';
import type { Source } from '../parts/target-file.ts';

/** A peer that sends nothing for so long has gone. */
const silentMsMax = 60_000;

/** Of a recording of this node the file itself, of any other video what its address answers. */
export async function sourceOf(
  row: ManagedVideoRow,
  { store, config }: { store: Store; config: Config },
): Promise<Source> {
  const recorded = await findRecording(store, row.id);
  if (recorded?.recording) {
    const path = join(recordingFolder(config.dataDir, recorded.recording), mp4File);
    const found = await stat(path).catch(() => undefined);
    if (found) return { size: found.size, read: (start) => createReadStream(path, { start }) };
  }
  const { video_url } = videoView(row, siteAddress(config), config.zone);
  if (!/^https?:/.test(video_url))
    throw new CommandError('not_found', `video ${row.id} has no mp4 that could be downloaded`);
  return await webSource(video_url);
}

/** Asked for its length first, where it says it. */
async function webSource(url: string): Promise<Source> {
  const answer = await ask(url, 'HEAD', {});
  const length = Number(answer.headers.get('content-length') ?? Number.NaN);
  const size = Number.isSafeInteger(length) && length > 0 ? length : undefined;
  return { size, read: (from) => pieces(url, from) };
}

async function* pieces(url: string, from: number): AsyncGenerator<Uint8Array> {
  const answer = await ask(url, 'GET', from === 0 ? {} : { range: `bytes=${from}-` });
  // One that does not know ranges begins at its beginning.
  let skipped = from > 0 && answer.status === 200 ? from : 0;
  const reader = answer.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), url);
      if (done) return;
      const left = value.subarray(Math.min(skipped, value.length));
      skipped -= value.length - left.length;
      if (left.length > 0) yield left;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function ask(url: string, method: string, headers: Record<string, string>) {
  const answer = await withinSilence(fetch(url, { method, headers }), url).catch((error) => {
    throw new CommandError('failed', `${url} does not answer: ${(error as Error).message}`, error);
  });
  if (!answer.ok)
    throw new CommandError(
      answer.status === 404 ? 'not_found' : 'failed',
      `${url} answered ${answer.status}`,
    );
  return answer;
}

async function withinSilence<T>(work: Promise<T>, url: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${url} has sent nothing for ${silentMsMax / 1_000} s`)),
    silentMsMax,
  );
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
