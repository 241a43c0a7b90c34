// Callers who run shows, programs by a token and a person by a cookie: they make, change, delete, undo and cut until nobody answers.
import type { AuditVia } from '../../src/library/audit/audit-note.ts';
import { png } from '../../test/support/pictures.ts';
import type { Random } from '../../test/support/random.ts';
import {
  type Answer,
  type Asked,
  HttpConnection,
  NoAnswer,
  requestText,
} from '../../test/support/rude/http-connection.ts';
import type { ConsoleBook, NotedWrite, Thing } from './console-book.ts';

/** Where the service is, and by what somebody is known there. */
export interface Way {
  url: string;
  token: string;
  /** Of the person's browser. */
  cookie: string;
}

interface Order extends Omit<NotedWrite, 'via'> {
  method: string;
  path: string;
  body?: unknown;
  bytes?: { type: string; of: Uint8Array };
  /** What it did, when it was done; of something that is made its id. */
  done(id: number): void;
}

/** So many of each at most: more would be more of the same. */
const channelsMax = 8;
const picturesMax = 20;
/** What a clip is cut of: the whole of a film. */
const clipMs = 60_000;
const picture = png({ width: 16, height: 9 });

export class ConsoleCaller {
  private readonly book: ConsoleBook;
  private readonly random: () => Random;
  readonly via: Extract<AuditVia, 'console' | 'interface'>;
  private readonly name: string;

  /** Of this caller alone, so that what it was told last is what must hold. */
  private readonly channels: Thing[] = [];
  private readonly videos: { thing: Thing; channel: Thing }[] = [];
  private readonly others: Thing[] = [];
  /** That were kept; shown while their channel is. */
  readonly pictures: { address: string; channel: Thing }[] = [];
  private writes = 0;

  constructor(given: {
    book: ConsoleBook;
    random: () => Random;
    via: ConsoleCaller['via'];
    name: string;
  }) {
    this.book = given.book;
    this.random = given.random;
    this.via = given.via;
    this.name = given.name;
  }

  /** Resolves when the service answers no more; how many were answered. */
  async run(way: Way, onAnswered: () => void): Promise<void> {
    const connection = await HttpConnection.open(way.url);
    try {
      for (;;) {
        await this.act(connection, way);
        onAnswered();
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    } finally {
      connection.close();
    }
  }

  /** A channel of this caller. */
  async makeChannel(connection: HttpConnection, way: Way): Promise<Thing> {
    const name = this.nextName();
    let made: Thing | undefined;
    await this.ask(connection, way, {
      ...{ method: 'POST', path: '/v1/activities', body: { name } },
      ...{ operation: 'createChannel', kind: 'channel', id: undefined, name },
      done: (id) => {
        made = this.book.made({ kind: 'channel', id, name });
        this.channels.push(made);
      },
    });
    if (!made) throw new Error('no channel was made');
    return made;
  }

  /** A video that somebody made for it. */
  hasVideo(id: number, name: string, channel: Thing): void {
    this.videos.push({ thing: this.book.made({ kind: 'video', id, name }), channel });
  }

  private async act(connection: HttpConnection, way: Way): Promise<void> {
    const random = this.random();
    const ask = (order: Order) => this.ask(connection, way, order);
    const kind = random.pick(['channel', 'channel', 'video', 'video', 'other'] as const);
    const video = this.videos.length > 0 ? random.pick(this.videos) : undefined;
    if (kind === 'video' && video?.channel.isThere)
      return await ask(this.videoOrder(video.thing, video.channel));
    if (kind === 'other') return await ask(this.otherOrder());
    if (this.channels.length < channelsMax && random.whole(1, 4) === 1) {
      await this.makeChannel(connection, way);
      return;
    }
    await ask(this.channelOrder(random.pick(this.channels)));
  }

  private channelOrder(channel: Thing): Order {
    const { id } = channel;
    const target = { kind: 'channel', id } as const;
    if (!channel.isThere)
      return {
        ...{ method: 'POST', path: `/manage/v1/channels/${id}/restore`, body: {} },
        ...{ operation: 'restoreChannel', ...target },
        done: () => {
          channel.isThere = true;
        },
      };
    const text = this.nextName();
    const actions = ['rename', 'page', 'delete', 'picture'] as const;
    const action = this.random().pick(actions);
    if (action === 'rename')
      return {
        ...{ method: 'PUT', path: `/v1/activities/${id}`, body: { name: text } },
        ...{ operation: 'renameChannel', ...target },
        done: () => {
          channel.name = text;
        },
      };
    if (action === 'delete')
      return {
        ...{ method: 'DELETE', path: `/v1/activities/${id}` },
        ...{ operation: 'deleteChannel', ...target },
        done: () => {
          channel.isThere = false;
        },
      };
    if (action === 'picture' && this.pictures.length < picturesMax)
      return {
        ...{ method: 'POST', path: `/manage/v1/channels/${id}/images` },
        bytes: { type: 'image/png', of: picture },
        ...{ operation: 'uploadImage', ...target },
        done: () => {},
      };
    return {
      ...{ method: 'PUT', path: `/v1/activities/${id}/page`, body: { footer: text } },
      ...{ operation: 'changeChannelPage', ...target },
      done: () => {
        channel.footer = text;
      },
    };
  }

  private videoOrder(video: Thing, channel: Thing): Order {
    const { id } = video;
    const target = { kind: 'video', id } as const;
    if (!video.isThere)
      return {
        ...{ method: 'POST', path: `/manage/v1/videos/${id}/restore`, body: {} },
        ...{ operation: 'restoreVideo', ...target },
        done: () => {
          video.isThere = true;
        },
      };
    const name = this.nextName();
    const action = this.random().whole(1, 8);
    if (action === 1)
      return {
        ...{ method: 'POST', path: `/manage/v1/channels/${channel.id}/clips` },
        body: { video_id: id, from_ms: 0, to_ms: clipMs, name },
        ...{ operation: 'makeClip', kind: 'channel', id: channel.id, name },
        // Its video is known by the answer alone.
        done: () => {},
      };
    if (action < 5)
      return {
        ...{ method: 'PUT', path: `/manage/v1/videos/${id}`, body: { name } },
        ...{ operation: 'renameVideo', ...target },
        done: () => {
          video.name = name;
        },
      };
    return {
      ...{ method: 'DELETE', path: `/manage/v1/videos/${id}` },
      ...{ operation: 'deleteVideo', ...target },
      done: () => {
        video.isThere = false;
      },
    };
  }

  /** Tokens, invitations and managers: what is there is changed or ended, or there is one more. */
  private otherOrder(): Order {
    const there = this.others.filter(({ isThere }) => isThere);
    const random = this.random();
    const name = this.nextName();
    if (there.length > 3 || (there.length > 0 && random.whole(1, 2) === 1)) {
      const one = random.pick(there);
      return random.whole(1, 2) === 1 && one.kind !== 'invitation'
        ? renamed(one, name)
        : ended(one);
    }
    const kind = random.pick(['token', 'invitation', 'manager'] as const);
    return {
      ...made[kind](name),
      ...{ method: 'POST', kind, id: undefined, name },
      done: (id) => {
        this.others.push(this.book.made({ kind, id, name }));
      },
    };
  }

  /** Throws `NoAnswer` where none comes; then the book is in doubt. */
  private async ask(connection: HttpConnection, way: Way, order: Order): Promise<void> {
    const { method, path, body, bytes, ...write } = order;
    const doubt = this.book.doubt({ ...write, via: this.via });
    const asked = {
      ...this.known(way),
      ...(body !== undefined && { body }),
    };
    const answer = bytes
      ? await connection.send(withBytes(method, path, asked, bytes))
      : await connection.request(method, path, asked);
    if (answer.status !== 200)
      throw new Error(`${method} ${path} by the ${this.via} was answered ${answer.text}`);
    doubt.isAnswered = true;
    this.answered(order, answer);
    this.book.answered(
      doubt,
      order.id ?? idIn(answer) ?? (await this.invited(connection, way, order)),
    );
  }

  private answered({ operation, name, id }: Order, { body }: Answer): void {
    const channel = this.channels.find((one) => one.id === id);
    if (operation === 'uploadImage' && channel)
      this.pictures.push({ address: body.address, channel });
    if (operation === 'makeClip' && channel && name !== undefined)
      this.hasVideo(body.id, name, channel);
  }

  /** An invitation's answer has no id; the list has. */
  private async invited(connection: HttpConnection, way: Way, { name }: Order): Promise<number> {
    const { body } = await connection.request('GET', '/manage/v1/people', this.known(way));
    const found = body.invitations.find((one: { name: string }) => one.name === name);
    if (!found) throw new Error(`the invitation of ${name} is in no list`);
    return found.id;
  }

  private known({ url, token, cookie }: Way): Asked {
    if (this.via === 'interface') return { token };
    const headers = { cookie, host: new URL(url).host, origin: url };
    return { headers: { ...headers, 'content-type': 'application/json' } };
  }

  private nextName(): string {
    this.writes += 1;
    return `${this.name} ${this.writes}`;
  }
}

type Other = 'token' | 'invitation' | 'manager';

const made: Record<Other, (name: string) => Pick<Order, 'path' | 'body' | 'operation'>> = {
  token: (name) => ({ path: '/manage/v1/tokens', body: { name }, operation: 'createToken' }),
  invitation: (name) => ({
    ...{ path: '/manage/v1/people/invite', body: { name } },
    operation: 'invitePerson',
  }),
  manager: (username) => ({
    ...{ path: '/manage/v1/managers', body: { username } },
    operation: 'createManager',
  }),
};

function renamed(one: Thing, name: string): Order {
  const { kind, id } = one;
  const isToken = kind === 'token';
  return {
    ...{ method: 'PUT', path: `/manage/v1/${kind}s/${id}`, kind, id },
    body: isToken ? { name } : { username: name },
    operation: isToken ? 'changeToken' : 'renameManager',
    done: () => {
      one.name = name;
    },
  };
}

function ended(one: Thing): Order {
  const { kind, id } = one;
  const done = () => {
    one.isThere = false;
  };
  if (kind === 'invitation')
    return {
      ...{ method: 'POST', path: `/manage/v1/people/invitations/${id}/withdraw`, body: {} },
      ...{ operation: 'withdrawInvitation', kind, id, done },
    };
  const operation = kind === 'token' ? 'revokeToken' : 'removeManager';
  return { method: 'DELETE', path: `/manage/v1/${kind}s/${id}`, operation, kind, id, done };
}

function idIn({ body }: Answer): number | undefined {
  return typeof body.id === 'number' ? body.id : undefined;
}

function withBytes(
  method: string,
  path: string,
  asked: Asked,
  { type, of }: NonNullable<Order['bytes']>,
): Uint8Array {
  const headers = { ...asked.headers, 'content-type': type, 'content-length': String(of.length) };
  return Buffer.concat([Buffer.from(requestText(method, path, { ...asked, headers })), of]);
}
