// The side of the node on whose disk an upload lies: takes the bytes that come to other nodes.
import { broken } from '../../base/api/body-stream.ts';
import { unavailable } from '../../base/api/errors.ts';
import type { Talking, TopicHandlers } from '../../base/links/links.ts';
import { type Outcome, outcomeOf } from '../../base/links/outcome.ts';
import type { BodyPieces } from './upload-file.ts';
import { type UploadNews, type UploadQuestion, uploadsTopic } from './upload-links.ts';
import type { Uploads } from './uploads.ts';

/** Bodies that other nodes bring at once: each holds a piece, and of what a link answers it leaves most to all else. */
const writingsMax = 64;

/** A body that another node brings. */
interface Writing {
  readonly node: string;
  readonly body: BroughtBody;
  /** How much of the upload has come then. */
  readonly written: Promise<number>;
}

/** What is told of what this node brings to others. */
type Brought = Pick<TopicHandlers<UploadNews, UploadQuestion, Outcome<number>>, 'received'> & {
  closed(node: string): void;
};

export function takeForOthers(links: Talking, uploads: Uploads, brought: Brought): void {
  const writings = new Map<number, Writing>();
  let last = 0;
  const writingOf = (node: string, number: number): Writing => {
    const writing = writings.get(number);
    if (writing?.node !== node) throw broken('The upload is brought no more; go on');
    return writing;
  };
  const open = async (node: string, words: Extract<Words, { what: 'open' }>) => {
    if (writings.size >= writingsMax) throw unavailable('Too many uploads come at once');
    const { row, offset, declaredBytes } = words;
    last += 1;
    const number = last;
    const body = new BroughtBody(declaredBytes ?? Number.NaN);
    const written = uploads.bring(row, { offset, body });
    writings.set(number, { node, body, written });
    const over = outcomeOf(() => written);
    over.catch(() => {}).finally(() => body.isWanted.reject(overBefore));
    over.then(
      (came) => 'refused' in came && links.send(uploadsTopic, node, { writing: number, came }),
      () => {},
    );
    // Whether it is taken is known when the first piece is asked for.
    await Promise.race([body.isWanted.promise, written]).catch(async (error) => {
      writings.delete(number);
      await written;
      throw error;
    });
    return number;
  };
  const answers = {
    settled: (_, { row }) => uploads.settled(row),
    open,
    piece: async (node, { writing }, bytes) => {
      const { body, written } = writingOf(node, writing);
      // What came is the link's.
      return await Promise.race([body.give(bytes.slice()), written]);
    },
    end: async (node, { writing, isBroken }) => {
      const { body, written } = writingOf(node, writing);
      writings.delete(writing);
      if (isBroken) body.end(broken('The body broke off'));
      else body.finish();
      return await written;
    },
    whole: async (_, { row }) => {
      uploads.readWhole(row);
      return row.size;
    },
    stop: async (_, { row }) => {
      await uploads.stopReading(row);
      return 0;
    },
    drop: async (_, { row }) => {
      await uploads.drop(row.id);
      return 0;
    },
  } satisfies Answers;
  links.join(uploadsTopic, {
    ...brought,
    asked: (node, { words, bytes }) => {
      const answer = answers[words.what] as (
        node: string,
        words: Words,
        bytes: Uint8Array,
      ) => Promise<number>;
      return outcomeOf(() => answer(node, words, bytes));
    },
    // Whoever brings the rest of them comes over another link.
    closed: (node) => {
      brought.closed(node);
      for (const [number, writing] of writings)
        if (writing.node === node) {
          writings.delete(number);
          writing.body.end(broken('The other node is gone'));
        }
    },
  });
}

type Words = UploadQuestion['words'];
type Answers = {
  [What in Words['what']]: (
    node: string,
    words: Extract<Words, { what: What }>,
    bytes: Uint8Array,
  ) => Promise<number>;
};

const overBefore = new Error('it was over before anything came');

/** The body of a request to another node: a piece is taken when the one before is written. */
class BroughtBody implements BodyPieces {
  readonly declaredBytes: number;

  /** Resolves when its first piece is asked for. */
  readonly isWanted = Promise.withResolvers<void>();
  /** Given, and not asked for yet; empty at the end. */
  private given: Uint8Array | undefined;
  /** The last that was asked for is written. */
  private taken = Promise.withResolvers<number>();
  private came = Promise.withResolvers<void>();
  private isFinished = false;
  private problem: unknown;

  constructor(declaredBytes: number) {
    this.declaredBytes = declaredBytes;
    this.isWanted.promise.catch(() => {});
  }

  /** Resolves when it is written, with its length. */
  async give(bytes: Uint8Array): Promise<number> {
    this.given = bytes;
    this.taken = Promise.withResolvers();
    this.came.resolve();
    return await this.taken.promise;
  }

  finish(): void {
    this.isFinished = true;
    this.came.resolve();
  }

  async next(): Promise<Uint8Array | undefined> {
    this.isWanted.resolve();
    this.taken.resolve(0);
    if (!this.given && !this.isFinished && this.problem === undefined) await this.came.promise;
    this.came = Promise.withResolvers();
    if (this.problem !== undefined) throw this.problem;
    const piece = this.given;
    this.given = undefined;
    return piece;
  }

  end(problem: unknown): void {
    this.problem ??= problem;
    this.came.resolve();
  }
}
