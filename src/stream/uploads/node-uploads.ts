// Uploads as those who ask over HTTP have them, whichever node they ask: one that lies on another is passed on to that node.
import { type BodyStream, broken } from '../../base/api/body-stream.ts';
import { ApiError, unavailable } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Talking } from '../../base/links/links.ts';
import { doneOr } from '../../base/links/outcome.ts';
import { isWhole, type UploadRow } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';
import { type UploadWords, uploadsTopic } from './upload-links.ts';
import { beginReading, removeUpload } from './upload-store.ts';
import type { UploadBegin, Uploads } from './uploads.ts';
import { takeForOthers } from './uploads-for-others.ts';

export interface NodeUploadsOptions {
  /** Those on this node's disk. */
  here: Uploads;
  links: Talking;
  node: string;
  now: () => number;
}

const nothing = new Uint8Array();
const awaySentence =
  'The upload lies on another node, which cannot be asked now; go on when it is back';

export class NodeUploads {
  private readonly options: NodeUploadsOptions;

  /** Bodies that go on to other nodes, by the node and its number. */
  private readonly bodies = new Map<string, { node: string; body: BodyStream }>();

  constructor(options: NodeUploadsOptions) {
    this.options = options;
    takeForOthers(options.links, options.here, {
      received: (node, { writing, came }) => {
        if ('refused' in came) this.bodies.get(nameOf(node, writing))?.body.end(came.refused);
      },
      closed: (node) => {
        for (const one of this.bodies.values())
          if (one.node === node) one.body.end(broken(awaySentence));
      },
    });
  }

  get keptMs(): number {
    return this.options.here.keptMs;
  }

  get sizeMax(): number {
    return this.options.here.sizeMax;
  }

  begin(order: UploadBegin, store: Store): Promise<UploadRow> {
    return this.options.here.begin(order, store);
  }

  cameOf(row: UploadRow): number {
    return this.options.here.cameOf(row);
  }

  async settled(row: UploadRow): Promise<number> {
    if (isWhole(row) || !this.isElsewhere(row)) return await this.options.here.settled(row);
    return await this.ask(row, { what: 'settled', row });
  }

  async append(
    row: UploadRow,
    { offset, body }: { offset: number; body: BodyStream },
    store: Store,
  ): Promise<number> {
    if (isWhole(row) || !this.isElsewhere(row))
      return await this.options.here.append(row, { offset, body }, store);
    const came = await this.bring(row, { offset, body });
    if (came === row.size) await this.noteWhole(row, store);
    return came;
  }

  async remove(row: UploadRow, store: Store): Promise<void> {
    if (!this.isElsewhere(row)) return await this.options.here.remove(row, store);
    await this.ask(row, { what: 'stop', row });
    const { id, account_id, channel_id } = row;
    if (!(await store.perform(removeUpload, { id, account_id, channel_id })))
      throw new ApiError('noUpload');
    // Where that is not heard its next round finds a file that no row names.
    await this.ask(row, { what: 'drop', row }).catch(() => {});
  }

  /** Its bytes lie on another node's disk, and it is no video yet. */
  private isElsewhere({ state, node }: UploadRow): boolean {
    const isUnfinished = state === 'coming' || state === 'reading';
    return isUnfinished && node !== this.options.node && !this.options.links.isAlone;
  }

  private async bring(
    row: UploadRow,
    { offset, body }: { offset: number; body: BodyStream },
  ): Promise<number> {
    const declaredBytes = Number.isNaN(body.declaredBytes) ? null : body.declaredBytes;
    const writing = await this.ask(row, { what: 'open', row, offset, declaredBytes });
    const name = nameOf(row.node, writing);
    this.bodies.set(name, { node: row.node, body });
    let isBroken = true;
    try {
      for (let piece = await body.next(); piece; piece = await body.next())
        for (let at = 0; at < piece.length; at += uploadLimits.linkBytes) {
          const bytes = piece.subarray(at, at + uploadLimits.linkBytes);
          await this.ask(row, { what: 'piece', writing }, bytes);
        }
      isBroken = false;
      return await this.ask(row, { what: 'end', writing, isBroken });
    } finally {
      this.bodies.delete(name);
      // What has come is kept; the caller learns why the rest is not taken.
      if (isBroken) await this.ask(row, { what: 'end', writing, isBroken }).catch(() => {});
    }
  }

  /** By the caller's store, which notes who made it whole. */
  private async noteWhole(row: UploadRow, store: Store): Promise<void> {
    const { id, account_id, channel_id, name } = row;
    const now = this.options.now();
    await store.perform(beginReading, { id, account_id, channel_id, name, now });
    // Where that is not heard its next round finds it.
    await this.ask(row, { what: 'whole', row }).catch(() => {});
  }

  private async ask(
    { node }: UploadRow,
    words: UploadWords,
    bytes: Uint8Array = nothing,
  ): Promise<number> {
    const question = { words, bytes };
    const { linkAnswerMs } = uploadLimits;
    const answer = await this.options.links
      .ask(uploadsTopic, node, question, linkAnswerMs)
      .catch((error) => {
        throw unavailable(awaySentence, error);
      });
    return doneOr(answer);
  }
}

function nameOf(node: string, writing: number): string {
  return `${node} ${writing}`;
}
