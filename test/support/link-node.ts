// A node with links and nothing else: in the test's own process, or as a program that can be stopped.

import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import { type Log, startLog } from '../../src/base/lib/log.ts';
import type { LinkGuest } from '../../src/base/links/link-door.ts';
import { linkRefusals } from '../../src/base/links/link-refusals.ts';
import { bytesCodec, jsonCodec, linkTopic } from '../../src/base/links/link-topic.ts';
import { Links, type LinksOptions } from '../../src/base/links/links.ts';
import type { KnownNode, NodeDirectory } from '../../src/base/links/node-directory.ts';
import { Refusals } from '../../src/base/peers/refusals.ts';

/** A directory that a test writes by hand. */
export class HandDirectory implements NodeDirectory {
  private nodes: KnownNode[] = [];
  private readonly told: (() => void)[] = [];

  list = () => this.nodes;

  onChanged(changed: () => void): void {
    this.told.push(changed);
  }

  set(nodes: KnownNode[]): void {
    this.nodes = nodes;
    for (const changed of this.told) changed();
  }
}

/** Anything, as JSON; each question is answered with itself. */
export const talk = linkTopic('talk', {
  message: jsonCodec((value) => value),
  question: jsonCodec((value) => value),
  answer: jsonCodec((value) => value),
});

/** Bytes as media has them. */
export const media = linkTopic('media', {
  message: bytesCodec,
  question: jsonCodec((value) => value as number),
  answer: bytesCodec,
});

export interface LinkNode {
  node: string;
  known: KnownNode;
  links: Links;
  directory: HandDirectory;
  refusals: Refusals;
  /** All that it has logged. */
  log(): string;
  /** What happened on the topic `talk`, as `opened b`, `closed b`, `b: "words"`. */
  heard: string[];
  /** Resolves when it was heard, now or before. */
  hears(what: string | RegExp): Promise<string>;
  stop(): void;
}

export function startLinkNode(
  node: string,
  given: Partial<LinksOptions> & {
    secret?: string;
    /** Where others dial it, where that is not its own address. */
    linkUrl?: string;
    tls?: { cert: string; key: string };
    port?: number;
  } = {},
): LinkNode {
  const { secret = 'the secret of the database', run = `${node}-1`, tls, port = 0 } = given;
  const directory = new HandDirectory();
  const logLines: string[] = [];
  const log: Log = startLog('debug', { write: (text) => logLines.push(text) && text.length });
  const refusals = new Refusals({ now: () => Date.now(), log });
  const server = Bun.serve<LinkGuest>({
    hostname: '127.0.0.1',
    port,
    ...(tls && { tls }),
    fetch: (request, server) => {
      const guest = links.door?.admit(server.requestIP(request)?.address ?? '');
      return guest && server.upgrade(request, { data: guest })
        ? undefined
        : new Response(null, { status: 404 });
    },
    websocket: {
      maxPayloadLength: presenceLimits.messageBytesMax,
      backpressureLimit: 65_536,
      closeOnBackpressureLimit: true,
      sendPings: false,
      open: (socket) => socket.data.opened(socket),
      message: (socket, data) => socket.data.heard(data),
      drain: (socket) => socket.data.drained(),
      ping: (socket) => socket.data.touched(),
      close: (socket) => socket.data.closed(),
    },
  });
  const own = `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}`;
  const linkUrl = given.linkUrl ?? own;
  const links = new Links({
    directory,
    secrets: () => [secret],
    log,
    refusals: refusals.book('link', linkRefusals),
    ...given,
    node,
    run,
    linkUrl,
  });
  const heard: string[] = [];
  const waiting = new Set<(what: string) => void>();
  const note = (what: string) => {
    heard.push(what);
    for (const tell of [...waiting]) tell(what);
  };
  links.join(talk, {
    opened: (other) => note(`opened ${other}`),
    closed: (other) => note(`closed ${other}`),
    gap: (other) => note(`gap ${other}`),
    received: (other, message) => note(`${other}: ${JSON.stringify(message)}`),
    asked: (_, question) => question,
  });
  links.start();
  return {
    node,
    known: { node, run, link_url: linkUrl },
    links,
    directory,
    refusals,
    log: () => {
      log.flush();
      return logLines.join('');
    },
    heard,
    hears: (what) => {
      const isIt = (one: string) => (typeof what === 'string' ? one === what : what.test(one));
      const before = heard.find(isIt);
      if (before !== undefined) return Promise.resolve(before);
      return new Promise((resolve) => {
        const tell = (one: string) => {
          if (!isIt(one)) return;
          waiting.delete(tell);
          resolve(one);
        };
        waiting.add(tell);
      });
    },
    stop: () => {
      links.stop();
      server.stop(true);
    },
  };
}

/** All of them know each other. */
export function introduce(...nodes: readonly LinkNode[]): void {
  for (const { directory } of nodes) directory.set(nodes.map(({ known }) => known));
}

/** As a program: `link-node.ts NAME`; a line of JSON on stdin is its directory, one on stdout its own address. */
if (import.meta.main) {
  const [name = ''] = process.argv.slice(2);
  const node = startLinkNode(name);
  console.log(JSON.stringify(node.known));
  for await (const line of console) node.directory.set(JSON.parse(line));
}
