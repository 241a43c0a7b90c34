// Recordings on another node's disk, as they are before all of them is in the bucket: read over the link, a piece at a time.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, unavailable } from '../../base/api/errors.ts';
import { isPlainName } from '../../base/lib/plain-name.ts';
import { bytesCodec, jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { bucketSpoolLimits } from './bucket-spool-limits.ts';
import { orNothing, recordingFileNames, recordingFolder } from './recording-folder.ts';
import type { ByteRange } from './recording-index.ts';
import {
  fileAt,
  notThere,
  pulled,
  type StoredFile,
  type StoredRecording,
} from './stored-recording.ts';

const limits = {
  /** Read at a time: a link carries it in some milliseconds, and what is live takes its turns between. */
  pieceBytes: 262_144,
  /** Asked for at once, of all nodes: what waits for the link is some megabytes. */
  atOnce: 16,
  /** A disk that is busy takes a while; who waits longer asks again. */
  answeredWithinMs: 10_000,
} as const;

interface AskedFile {
  recording: string;
  file: string;
}

type FoundFile = Pick<StoredFile, 'size' | 'tag'> | 'none' | 'broken';

const fileTopic = linkTopic<never, AskedFile, FoundFile>('recorded-file', {
  question: jsonCodec(checkAsked),
  answer: jsonCodec((value) => value as FoundFile),
});

const piecesTopic = linkTopic<never, AskedFile & ByteRange, Uint8Array>('recorded-pieces', {
  question: jsonCodec((value) => ({ ...checkAsked(value), ...checkRange(value) })),
  answer: bytesCodec,
});

export class NodeRecordings {
  private readonly links: Talking;
  private readonly places = new FairPlaces({ placesMax: limits.atOnce });

  /** Answers for what lies on this node's disk, too. */
  constructor({ links, dataDir }: { links: Talking; dataDir: string }) {
    this.links = links;
    const pathOf = ({ recording, file }: AskedFile) =>
      join(recordingFolder(dataDir, recording), file);
    links.join(fileTopic, {
      asked: async (_node, asked) => {
        const found = await orNothing(fileAt(pathOf(asked)).catch(brokenAsNone));
        if (!found) return 'none';
        return found === 'broken' ? found : { size: found.size, tag: found.tag };
      },
    });
    links.join(piecesTopic, {
      asked: async (_node, asked) => {
        const handle = await open(pathOf(asked), 'r');
        try {
          const bytes = new Uint8Array(asked.size);
          const { bytesRead } = await handle.read(bytes, 0, asked.size, asked.at);
          return bytes.subarray(0, bytesRead);
        } finally {
          await handle.close();
        }
      },
    });
  }

  /** Throws an ApiError where the node cannot be asked now. */
  of(node: string, recording: string): StoredRecording {
    return {
      name: `${node} ${recording}`,
      find: (file) => this.find(node, { recording, file }),
      text: async (file) => {
        const { size, pieces } = await this.find(node, { recording, file });
        if (size > bucketSpoolLimits.indexBytesMax) throw new Error(`${file} is no text of ours`);
        return Buffer.concat(await Array.fromAsync(pieces({ at: 0, size }))).toString('utf8');
      },
    };
  }

  private async find(node: string, asked: AskedFile): Promise<StoredFile> {
    const { links } = this;
    const found = await answered(links.ask(fileTopic, node, asked, limits.answeredWithinMs));
    if (found === 'none') throw notThere(asked.file);
    if (found === 'broken') throw new Error(`${asked.file} of a recording is broken`);
    const pieces = (range: ByteRange) => this.pieces(node, { ...asked, ...range });
    return { ...found, body: (range) => pulled(pieces(range)), pieces };
  }

  private async *pieces(
    node: string,
    { recording, file, at, size }: AskedFile & ByteRange,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let done = 0; done < size; ) {
      const wanted = { at: at + done, size: Math.min(limits.pieceBytes, size - done) };
      const asked = { recording, file, ...wanted };
      // Recordings take turns, whoever reads them.
      const piece = await this.places.run({ whose: recording }, () =>
        answered(this.links.ask(piecesTopic, node, asked, limits.answeredWithinMs)),
      );
      if (!piece || piece.length !== wanted.size)
        throw new Error(`${file} of a recording is shorter than it was`);
      // What came is the link's.
      yield piece.slice();
      done += piece.length;
    }
  }
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw unavailable('The recording lies on another node, which cannot be asked now', error);
  }
}

/** A file that is not there stays so; one with nothing in it is said to be. */
function brokenAsNone(error: unknown): 'broken' {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
  return 'broken';
}

function checkAsked(value: unknown): AskedFile {
  const { recording, file } = value as AskedFile;
  // Nothing else is ever looked for on the disk, whoever asks.
  if (!isPlainName(String(recording)) || !recordingFileNames.includes(file))
    throw new Error('it is no file of a recording');
  return { recording, file };
}

function checkRange(value: unknown): ByteRange {
  const { at, size } = value as ByteRange;
  const isRange = Number.isSafeInteger(at) && at >= 0 && Number.isSafeInteger(size) && size > 0;
  if (!isRange || size > limits.pieceBytes) throw new Error('it is no piece of a file');
  return { at, size };
}
