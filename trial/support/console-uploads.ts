// Somebody who uploads by tus: begins, sends in pieces, is cut, goes on, gives up; some files are films and some are none.

import { pieceType } from '../../src/stream/uploads/upload.ts';
import { until } from '../../test/support/live-channel.ts';
import type { Random } from '../../test/support/random.ts';
import { HttpConnection, NoAnswer, requestText } from '../../test/support/rude/http-connection.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';
import { beginHeaders, tusHeaders } from '../../test/support/uploads.ts';
import type { ConsoleBook, Doubt, Thing } from './console-book.ts';
import type { Way } from './console-callers.ts';

interface Sent {
  /** Undefined while nobody has told it. */
  id: string | undefined;
  /** No other has it. */
  name: string;
  file: Uint8Array;
  isFilm: boolean;
  /** What was acknowledged, and what may have come beyond it. */
  acknowledged: number;
  most: number;
  /** Somebody asked for its end, and was not answered. */
  isEnding: boolean;
  end: 'removed' | 'done' | 'refused' | undefined;
}

const unfinishedMax = 3;
/** Of one request; a film is some of these. */
const pieceMax = 131_072;
/** Each takes a process to read. */
const wholeMax = 3;
/** From the start to the video. */
const readWithinMs = 120_000;

export class ConsoleSender {
  private readonly book: ConsoleBook;
  private readonly random: () => Random;
  private readonly channel: Thing;
  private readonly film: Uint8Array;

  private readonly all: Sent[] = [];
  /** Since the last start. */
  private wholeNow = 0;
  readonly counts = { pieces: 0, cuts: 0, removed: 0, done: 0, refused: 0 };

  constructor(given: {
    book: ConsoleBook;
    random: () => Random;
    channel: Thing;
    film: Uint8Array;
  }) {
    this.book = given.book;
    this.random = given.random;
    this.channel = given.channel;
    this.film = given.film;
  }

  async run(way: Way, onAnswered: () => void): Promise<void> {
    this.wholeNow = 0;
    let connection = await HttpConnection.open(way.url);
    try {
      for (;;) {
        const isCut = await this.act(connection, way);
        if (isCut) {
          connection = await HttpConnection.open(way.url).catch(() => {
            throw new NoAnswer('the service is gone');
          });
        }
        onAnswered();
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    } finally {
      connection.close();
    }
  }

  /** One file, whole, by somebody who waits for its video: its id. */
  async sendWhole(service: ServiceProcess, way: Way): Promise<{ id: number; name: string }> {
    const connection = await HttpConnection.open(way.url);
    const sent = await this.begin(connection, way, { file: this.film, isFilm: true });
    await this.send(connection, way, sent, this.film.length);
    connection.close();
    await this.settle(service);
    const { body } = await service.call('GET', `/manage/v1/uploads/${sent.id}`);
    return { id: body.video_id, name: sent.name };
  }

  /** Whether the connection was cut. */
  private async act(connection: HttpConnection, way: Way): Promise<boolean> {
    const random = this.random();
    const open = this.all.filter(({ id, end }) => id !== undefined && end === undefined);
    const coming = open.filter(({ acknowledged, file }) => acknowledged < file.length);
    const action = random.whole(1, 20);
    if (coming.length === 0 || (open.length < unfinishedMax && action < 3)) {
      if (open.length >= 2 * unfinishedMax) return await this.look(way, random.pick(open));
      const isFilm = random.whole(1, 2) === 1;
      await this.begin(connection, way, { file: this.fileOf(isFilm), isFilm });
      return false;
    }
    const sent = random.pick(coming);
    if (action === 3) return await this.remove(connection, way, random.pick(open));
    if (action === 4) return await this.look(way, sent);
    if (action < 7) return await this.cut(connection, way, sent);
    const left = sent.file.length - sent.acknowledged;
    const mayEnd = this.wholeNow < wholeMax;
    // What may not end yet keeps its last byte.
    const bytes = Math.min(mayEnd ? left : left - 1, random.whole(1, pieceMax));
    if (bytes > 0) await this.send(connection, way, sent, bytes);
    else await this.look(way, sent);
    return false;
  }

  /** A film, or one with its middle overwritten, or no film at all. */
  private fileOf(isFilm: boolean): Uint8Array {
    if (isFilm) return this.film;
    const random = this.random();
    const bent = new Uint8Array(this.film);
    const isBent = random.whole(1, 2) === 1;
    bent.fill(random.whole(0, 255), isBent ? random.whole(0, bent.length - 1) : 0);
    return bent;
  }

  private async begin(
    connection: HttpConnection,
    way: Way,
    { file, isFilm }: Pick<Sent, 'file' | 'isFilm'>,
  ): Promise<Sent> {
    const name = `sent ${this.all.length} to ${this.channel.id}`;
    const sent: Sent = {
      ...{
        id: undefined,
        name,
        file,
        isFilm,
        acknowledged: 0,
        most: 0,
        isEnding: false,
        end: undefined,
      },
    };
    const doubt = this.doubt('beginUpload', () => this.all.push(sent));
    const answer = await connection.request('POST', '/manage/v1/uploads', {
      token: way.token,
      headers: beginHeaders({ channel_id: this.channel.id, name }, file.length),
    });
    if (answer.status !== 201) throw new Error(`an upload was begun with ${answer.text}`);
    sent.id = answer.body.id;
    this.book.answered(doubt, this.channel.id);
    return sent;
  }

  private async send(
    connection: HttpConnection,
    way: Way,
    sent: Sent,
    bytes: number,
  ): Promise<void> {
    const { acknowledged, file } = sent;
    const to = acknowledged + bytes;
    const mayHaveMore = sent.most > acknowledged;
    sent.most = Math.max(sent.most, to);
    if (to === file.length) this.book.asks('lastPiece');
    const answer = await connection.send(this.piece(way, sent, to));
    if ((answer.status === 409 || answer.status === 503) && mayHaveMore) {
      // What was sent before a cut was read after the look that followed it, or after this: clients look again, too.
      await this.look(way, sent);
      return;
    }
    if (answer.status !== 204)
      throw new Error(`a piece was answered ${answer.status} ${answer.text}`);
    this.counts.pieces += 1;
    if (Number(answer.headers['upload-offset']) !== to)
      throw new Error(`${to} bytes were sent, and ${answer.headers['upload-offset']} came`);
    sent.acknowledged = to;
    if (to === file.length) this.wholeNow += 1;
  }

  /** The connection ends in the middle of a piece. */
  private async cut(connection: HttpConnection, way: Way, sent: Sent): Promise<boolean> {
    const { acknowledged, file } = sent;
    // Never its last byte: whether that came would not be known, and with it whether there is to be a video.
    const to = Math.min(file.length - 1, acknowledged + this.random().whole(1, pieceMax));
    if (to <= acknowledged) return false;
    sent.most = Math.max(sent.most, to);
    const whole = this.piece(way, sent, to);
    connection.sendPart(
      whole.subarray(0, whole.length - this.random().whole(0, to - acknowledged)),
    );
    connection.close();
    this.counts.cuts += 1;
    await this.look(way, sent);
    return true;
  }

  private piece({ token }: Way, { id, file, acknowledged }: Sent, to: number): Uint8Array {
    const headers = {
      ...tusHeaders,
      'content-type': pieceType,
      'upload-offset': String(acknowledged),
      'content-length': String(to - acknowledged),
    };
    const head = requestText('PATCH', `/manage/v1/uploads/${id}`, { token, headers });
    return Buffer.concat([Buffer.from(head), file.subarray(acknowledged, to)]);
  }

  /** What was acknowledged once is never less. */
  private async look({ url, token }: Way, sent: Sent): Promise<boolean> {
    const headers = { ...tusHeaders, authorization: `Bearer ${token}`, connection: 'close' };
    const answer = await fetch(`${url}/manage/v1/uploads/${sent.id}`, {
      method: 'HEAD',
      headers,
    }).catch(() => {
      throw new NoAnswer('the service is gone');
    });
    if (!answer.ok) throw new Error(`upload ${sent.name} was looked at with ${answer.status}`);
    const offset = Number(answer.headers.get('upload-offset'));
    if (offset < sent.acknowledged || offset > sent.most)
      throw new Error(
        `of ${sent.name} ${sent.acknowledged} bytes were acknowledged, ${sent.most} sent, and ${offset} are there`,
      );
    sent.acknowledged = offset;
    return false;
  }

  private async remove(connection: HttpConnection, way: Way, sent: Sent): Promise<boolean> {
    const doubt = this.doubt('endUpload', () => {
      sent.end = 'removed';
    });
    sent.isEnding = true;
    const answer = await connection.request('DELETE', `/manage/v1/uploads/${sent.id}`, {
      token: way.token,
      headers: tusHeaders,
    });
    sent.isEnding = false;
    const isWhole = sent.acknowledged === sent.file.length;
    if (answer.status === 409 && isWhole) this.book.refused(doubt);
    else if (answer.status !== 204) throw new Error(`an upload was ended with ${answer.text}`);
    else {
      this.book.answered(doubt, this.channel.id);
      this.counts.removed += 1;
    }
    return false;
  }

  /** Right after a start: what came whole, and is read again by now, is not wanted any more. */
  async giveUpWhole(way: Way): Promise<void> {
    const connection = await HttpConnection.open(way.url);
    for (const sent of this.all) {
      const isWhole = sent.acknowledged === sent.file.length;
      if (sent.id !== undefined && sent.end === undefined && isWhole && !sent.isEnding)
        await this.remove(connection, way, sent);
    }
    connection.close();
  }

  private doubt(operation: 'beginUpload' | 'endUpload', done: () => void): Doubt {
    const { id } = this.channel;
    return this.book.doubt({ via: 'interface', operation, kind: 'channel', id, done });
  }

  /** After a start, when the book has no doubts: every upload is as far as was told, and who was not told its id finds it. */
  async problems(settings: DatabaseSettings, way: Way): Promise<string[]> {
    const rows = await asking(settings, (ask) =>
      ask(`SELECT id, name, state FROM uploads WHERE channel_id = ${this.channel.id}`),
    );
    const problems: string[] = [];
    for (const sent of this.all) {
      sent.isEnding = false;
      const row = rows.find(({ name }) => name === sent.name);
      if ((sent.end === 'removed') === (row !== undefined))
        problems.push(`the upload ${sent.name} is ${row ? 'there and was ended' : 'lost'}`);
      if (!row || sent.end !== undefined) continue;
      sent.id = String(row['id']);
      await this.look(way, sent).catch((error: Error) => problems.push(error.message));
    }
    for (const { name } of rows)
      if (!this.all.some((sent) => sent.name === name))
        problems.push(`nobody began the upload ${name}`);
    return problems;
  }

  /** Waits until all that came whole has become what it is to be, and names what is not one video or one refusal. */
  async settle(service: ServiceProcess): Promise<string[]> {
    const problems: string[] = [];
    for (const sent of this.all) {
      const { id, file, isFilm, acknowledged, name, end } = sent;
      if (end !== undefined || acknowledged < file.length) continue;
      let state = '';
      const isRead = async () => {
        state = (await service.call('GET', `/manage/v1/uploads/${id}`)).body.state;
        return state === 'done' || state === 'refused';
      };
      await until(isRead, { withinMs: readWithinMs, otherwise: `${name} is ${state} for ever` });
      sent.end = state as 'done' | 'refused';
      this.counts[sent.end] += 1;
      if (isFilm && sent.end === 'refused') problems.push(`the film ${name} was refused`);
    }
    return problems;
  }

  /** Each that was read is one video, and no other is any. */
  async videoProblems(settings: DatabaseSettings): Promise<string[]> {
    const rows = await asking(settings, (ask) =>
      ask(`SELECT v.id, u.name, u.video_id FROM uploads u LEFT JOIN videos v ON v.recording = u.recording
        WHERE u.channel_id = ${this.channel.id}`),
    );
    const videos = await asking(settings, (ask) =>
      ask(`SELECT id, name FROM videos WHERE channel_id = ${this.channel.id}`),
    );
    const problems = rows
      .filter(({ id, name, video_id }) => {
        const isDone = this.all.find((sent) => sent.name === name)?.end === 'done';
        return isDone ? id === null || id !== video_id : id !== null || video_id !== null;
      })
      .map(({ id, name, video_id }) => `${name} says video ${video_id} and became ${id}`);
    for (const { id, name } of videos)
      if (!rows.some((row) => row['id'] === id))
        problems.push(`video ${id} (${name}) is of no upload`);
    return problems;
  }
}
