// Uploads: begun, written, read and forgotten; what a kill has left is gone on with by the next start.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BodyStream, broken } from '../../base/api/body-stream.ts';
import type { Owner } from '../../base/api/caller.ts';
import { ApiError, unavailable } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { isPlainName, pathIn } from '../../base/lib/plain-name.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { shareOf } from '../../base/turns/share.ts';
import { freeBytes } from '../recording/disk-room.ts';
import {
  makeRecordingsFolder,
  orNothing,
  removeFolder,
  syncPath,
} from '../recording/recording-folder.ts';
import { videoOfRecording } from '../recording/recording-store.ts';
import { type Recordings, recordingName } from '../recording/recordings.ts';
import { removeHanded, sweepHanded, takeHanded, wholeHanded } from './handed-file.ts';
import { isWhole, nameOf, type UploadMetadata, type UploadRow } from './upload.ts';
import { type BodyPieces, UploadFile } from './upload-file.ts';
import { uploadLimits } from './upload-limits.ts';
import { done, lost, makingEnding, UploadReading } from './upload-reading.ts';
import {
  addUpload,
  beginReading,
  endUpload,
  heldUploads,
  isAnyOld,
  nodesOfUploads,
  noteUpload,
  removeUpload,
  sweepUploads,
  sweptAtOnce,
} from './upload-store.ts';

export interface UploadsOptions {
  dataDir: string;
  /** The name of this service; uploads lie on its disk. */
  node: string;
  store: Store;
  freeBytesMin: number;
  sizeMax: number;
  /** For how long one that nobody goes on with is kept. */
  keptMs: number;
  /** What the process that reads a file may hold. */
  memoryBytesMax: number;
  recordings: Pick<Recordings, 'adopt' | 'hasRoom' | 'hasDiskRoom' | 'hasRoomFor' | 'counts'>;
  /** For how long nothing was heard of another node; absent where nobody watches the others. */
  silentMs?: (node: string) => number;
  now: () => number;
  log: Log;
}

export interface UploadBegin extends UploadMetadata {
  owner: Owner;
  size: number;
}

/** One whose bytes lie here. */
interface Held {
  row: UploadRow;
  file: UploadFile;
  path: string;
  /** How much has come. */
  came: number;
  notedAt: number;
  /** It is whole, which is being written. */
  finishing: Promise<void> | undefined;
  /** It counts for its account's room no more. */
  release(): void;
}

const roundEveryMs = 60_000;
/** Whoever handed a file over waits for it. */
const handedEveryMs = 2_000;

export async function startUploads(options: UploadsOptions): Promise<Uploads> {
  const uploads = new Uploads(options);
  await uploads.start();
  return uploads;
}

export class Uploads {
  private readonly options: UploadsOptions;
  private readonly root: string;
  private readonly reading: UploadReading;

  private readonly held = new Map<string, Held>();
  /** Not in the database yet: what each will take. */
  private readonly beginning = new Map<string, { account_id: number; size: number }>();
  private rounds: Rounds | undefined;
  private handedLooks: Rounds | undefined;
  /** One at a time: two would take the same file. */
  private lastRound: Promise<void> = Promise.resolve();
  /** Those that were there at the last look: each is worth one round. */
  private handed = new Set<string>();
  /** Other nodes with uploads that are not known now, and since when. */
  private readonly unknownSince = new Map<string, number>();

  constructor(options: UploadsOptions) {
    this.options = options;
    this.root = join(options.dataDir, 'uploads');
    this.reading = new UploadReading({ ...options, onEnded: (id) => this.release(id) });
  }

  get keptMs(): number {
    return this.options.keptMs;
  }

  get sizeMax(): number {
    return this.options.sizeMax;
  }

  async start(): Promise<void> {
    const { dataDir, log } = this.options;
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    await makeRecordingsFolder(dataDir);
    await this.round();
    this.rounds = startRounds(roundEveryMs, () =>
      this.round().catch((error) => log.warn('uploads could not be looked through', { error })),
    );
    this.handedLooks = startRounds(handedEveryMs, () =>
      this.lookForHanded().catch((error) => log.warn('a file could not be taken yet', { error })),
    );
  }

  /** A new one, of which nothing has come. `store` is the caller's, which notes what they do. */
  async begin(
    { owner, channel_id, filename, name, size }: UploadBegin,
    store: Store,
  ): Promise<UploadRow> {
    const { node, sizeMax, now } = this.options;
    if (size > sizeMax)
      throw new ApiError('tooLarge', {
        message: `Upload-Length must be at most ${sizeMax} (got ${size})`,
      });
    const { account_id } = owner;
    const id = randomBytes(16).toString('hex');
    this.beginning.set(id, { account_id, size });
    const path = pathIn(this.root, id);
    try {
      await this.checkRoom(account_id);
      // Before its row: a file that no row names goes, a row without a file would be one that is lost.
      await (await open(path, 'wx', 0o600)).close();
      await syncPath(this.root);
      const row = await store.perform(addUpload, {
        ...{ id, owner, channel_id, node, filename, size },
        recording: recordingName(now()),
        name: nameOf({ name, filename }),
        now: now(),
      });
      this.hold(row, 0);
      return row;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      this.beginning.delete(id);
    }
  }

  /** How much of it has come, as far as is known here. */
  cameOf(row: UploadRow): number {
    const held = this.held.get(row.id);
    return held && row.state === 'coming' ? held.came : row.came;
  }

  /** The same exactly: who still writes is ended first. */
  async settled(row: UploadRow): Promise<number> {
    if (isWhole(row)) return row.size;
    const held = this.comingHere(row);
    const came = await held.file.settled();
    if (came === undefined) throw new ApiError('uploadLost');
    held.came = came;
    await this.finishIfWhole(held);
    return came;
  }

  /** Writes what comes behind `offset`; how much has come then. `store` is the caller's, which notes who makes it whole. */
  async append(
    row: UploadRow,
    { offset, body }: { offset: number; body: BodyStream },
    store: Store,
  ): Promise<number> {
    const held = this.toBring(row);
    try {
      return await this.bring(row, { offset, body });
    } finally {
      // Also where the line was cut behind the last byte.
      await this.finishIfWhole(held, store);
    }
  }

  /** The same without a word of it where it is whole then: whoever brings it says so. */
  async bring(
    row: UploadRow,
    { offset, body }: { offset: number; body: BodyPieces },
  ): Promise<number> {
    const held = this.toBring(row);
    // Also says whether it is still there: who has not used it for long may find that it was just forgotten.
    if (this.isNoteDue(held)) await this.note(held);
    const onCame = (came: number) => {
      held.came = came;
      if (this.isNoteDue(held)) this.noteUnawaited(held);
    };
    const { recordings } = this.options;
    const checkRoom = () => {
      if (!recordings.hasDiskRoom()) throw broken('The disk has too little room now; try again');
    };
    return await held.file.append(body, { offset, onCame, checkRoom });
  }

  /** All of it is here, and its row says so. */
  readWhole(row: UploadRow): void {
    const { path: source } = this.comingHere(row);
    this.reading.add({ row: { ...row, state: 'reading', came: row.size }, source });
  }

  /** Nothing is left of it. */
  async remove(row: UploadRow, store: Store): Promise<void> {
    const { node } = this.options;
    const isUnfinished = row.state === 'coming' || row.state === 'reading';
    if (isUnfinished && row.node !== node) throw elsewhere();
    await this.stopReading(row);
    const { id, account_id, channel_id } = row;
    if (!(await store.perform(removeUpload, { id, account_id, channel_id })))
      throw new ApiError('noUpload');
    await this.drop(id);
  }

  /** Nobody reads it any more; throws where it has become a video. */
  async stopReading(row: UploadRow): Promise<void> {
    // The last service may have been killed when the recording lay there: it becomes a video, whoever reads the file.
    const isPlaced = row.state === 'reading' && (await this.reading.isPlaced(row));
    if (row.state === 'done' || isPlaced || !(await this.reading.end(row.id)))
      throw new ApiError('uploadDone');
  }

  async stop(): Promise<void> {
    await Promise.all([this.rounds?.stop(), this.handedLooks?.stop()]);
    const problem = broken('The service is stopping; go on when it is back');
    await Promise.all([
      this.reading.stop(),
      ...[...this.held.values()].map(({ file }) => file.end(problem)),
    ]);
  }

  /**
   * Each round, the first before anybody asks: old rows go, files that no row names go, rows whose file is lost are
   * refused, and what is whole is read.
   */
  round(): Promise<void> {
    const round = this.lastRound.then(() => this.lookThrough());
    this.lastRound = round.catch(() => {});
    return round;
  }

  private async lookForHanded(): Promise<void> {
    const known = this.handed;
    this.handed = new Set(await wholeHanded(this.options.dataDir));
    if ([...this.handed].some((id) => !known.has(id))) await this.round();
  }

  private async lookThrough(): Promise<void> {
    const { dataDir, store, node, keptMs, now } = this.options;
    const before = now() - keptMs;
    if (await isAnyOld(store, { before }))
      while ((await store.perform(sweepUploads, { before })) >= sweptAtOnce);
    await this.refuseLost();
    const known = [...this.held.keys()];
    const rows = await store.perform(heldUploads, { node });
    const named = new Set(rows.map(({ id }) => id));
    // Their rows have gone: forgotten, or with their channel.
    for (const id of known) if (!named.has(id) && (await this.reading.end(id))) await this.drop(id);
    for (const row of rows)
      if (isPlainName(row.id) && isPlainName(row.recording)) await this.lookAt(row);
      // Nothing of ours has such a name; it must not keep the others from being looked at.
      else await store.perform(endUpload, { ...lost, id: row.id, now: now() });
    for (const name of await readdir(this.root)) {
      const id = name.replace(makingEnding, '');
      if (!this.held.has(id) && !this.beginning.has(id)) await removeFolder(join(this.root, name));
    }
    await sweepHanded(dataDir, { isNamed: (id) => this.held.has(id), now: now() });
  }

  /** Those of nodes that do not come back, by whichever node looks first. */
  private async refuseLost(): Promise<void> {
    const { store, node, now } = this.options;
    if (!this.options.silentMs) return;
    for (const other of await nodesOfUploads(store, { but: node })) {
      if (this.silentMs(other) < uploadLimits.nodeGoneMs) continue;
      for (const { id, recording } of await store.perform(heldUploads, { node: other })) {
        const video_id = await videoOfRecording(store, recording);
        const ending = video_id === undefined ? lost : { ...done, video_id };
        await store.perform(endUpload, { ...ending, id, now: now() });
      }
    }
  }

  /** One that has stopped by itself is known to nobody, and may be back in a moment: it counts from when that was seen. */
  private silentMs(node: string): number {
    const { silentMs, now } = this.options;
    const known = silentMs?.(node) ?? 0;
    if (Number.isFinite(known)) {
      this.unknownSince.delete(node);
      return known;
    }
    const since = this.unknownSince.get(node) ?? now();
    this.unknownSince.set(node, since);
    return now() - since;
  }

  private async lookAt(row: UploadRow): Promise<void> {
    const { store, now } = this.options;
    const path = pathIn(this.root, row.id);
    const there = await orNothing(stat(path));
    const handed = there ? undefined : await this.takeHanded(row);
    const found = handed?.isTaken ? await orNothing(stat(path)) : there;
    const held = this.held.get(row.id) ?? this.hold(row, found?.size ?? handed?.came ?? 0);
    if (row.state === 'reading') this.reading.add({ row, source: held.path });
    else if (found) {
      if (held.file.isWritten) return;
      held.came = found.size;
      await this.finishIfWhole(held);
    } else if (handed) held.came = handed.came;
    else {
      await store.perform(endUpload, { ...lost, id: row.id, now: now() });
      await this.drop(row.id);
    }
  }

  /** One that cannot be taken must not keep the others from being looked at. */
  private async takeHanded({ id, came }: UploadRow) {
    const { dataDir, log } = this.options;
    try {
      return await takeHanded(dataDir, { id, path: pathIn(this.root, id) });
    } catch (error) {
      log.warn('a file that was handed over cannot be taken', { id, error });
      return { came, isTaken: false };
    }
  }

  private hold(row: UploadRow, came: number): Held {
    const { recordings } = this.options;
    const path = pathIn(this.root, row.id);
    const file = new UploadFile({ path, size: row.size });
    const held: Held = {
      ...{ row, file, path, came, notedAt: row.touched_at, finishing: undefined },
      release: () => {},
    };
    held.release = recordings.counts(row.account_id, {
      get bytes() {
        return held.came;
      },
    });
    this.held.set(row.id, held);
    return held;
  }

  /** Its bytes may come here. */
  private comingHere(row: UploadRow): Held {
    if (row.state === 'refused') throw new ApiError('uploadLost');
    if (row.node !== this.options.node) throw elsewhere();
    return this.held.get(row.id) ?? this.hold(row, row.came);
  }

  /** Of which bytes are missing. */
  private toBring(row: UploadRow): Held {
    if (isWhole(row))
      throw new ApiError('wrongOffset', { message: `All ${row.size} bytes have come already` });
    return this.comingHere(row);
  }

  /** All of it is there and on the disk; whoever is told so may rely on it. */
  private async finishIfWhole(held: Held, store = this.options.store): Promise<void> {
    if (held.came !== held.row.size) return;
    // Who asks meanwhile waits for who brought it, whose name is noted.
    held.finishing ??= this.finish(held, store).finally(() => {
      held.finishing = undefined;
    });
    await held.finishing;
  }

  private async finish({ row, path, came }: Held, store: Store): Promise<void> {
    const { id, account_id, channel_id, name } = row;
    await store.perform(beginReading, {
      ...{ id, account_id, channel_id, name },
      now: this.options.now(),
    });
    this.reading.add({ row: { ...row, state: 'reading', came }, source: path });
  }

  private async note(held: Held): Promise<void> {
    const { store, now } = this.options;
    const { id, account_id } = held.row;
    held.notedAt = now();
    const noted = { id, account_id, came: held.came, now: held.notedAt };
    if (!(await store.perform(noteUpload, noted))) throw new ApiError('noUpload');
  }

  private isNoteDue({ notedAt }: Held): boolean {
    return this.options.now() - notedAt >= uploadLimits.noteEveryMs;
  }

  private noteUnawaited(held: Held): void {
    const { log } = this.options;
    this.note(held).catch((error) =>
      log.debug('how much of an upload has come was not noted', { id: held.row.id, error }),
    );
  }

  /** Its row has gone: now whatever lies here. */
  async drop(id: string): Promise<void> {
    const path = pathIn(this.root, id);
    await this.held.get(id)?.file.remove();
    this.release(id);
    for (const one of [path, `${path}${makingEnding}`]) await removeFolder(one);
    await removeHanded(this.options.dataDir, id);
  }

  private release(id: string): void {
    this.held.get(id)?.release();
    this.held.delete(id);
  }

  /**
   * For all that was promised, also to others: as long as it has not come it is on no disk. Nobody pays for a promise, so
   * an account has half of the room that those of the others leave.
   */
  private async checkRoom(account_id: number): Promise<void> {
    const { dataDir, freeBytesMin, recordings } = this.options;
    const diskBytes = { own: 0, others: 0 };
    let accountBytes = 0;
    const waiting = [...this.held.values()].map(({ row, came }) => ({ ...row, came }));
    const beginning = [...this.beginning.values()].map((one) => ({ ...one, came: 0 }));
    for (const one of [...waiting, ...beginning]) {
      const isOwn = one.account_id === account_id;
      diskBytes[isOwn ? 'own' : 'others'] += uploadLimits.diskTimes * one.size - one.came;
      if (isOwn) accountBytes += one.size - one.came;
    }
    if (!recordings.hasRoom(account_id) || !(await recordings.hasRoomFor(account_id, accountBytes)))
      throw new ApiError('noRoom');
    const room = ((await freeBytes(dataDir)) ?? 0) - freeBytesMin;
    if (diskBytes.own > shareOf(room, diskBytes.others))
      throw unavailable(
        'The disk has too little room for it: uploads of an account may take half of what those of others leave',
      );
  }
}

function elsewhere(): ApiError {
  return unavailable('The upload lies at another service; ask that one');
}
