// Is told of every show and video, by webhooks or by a stream, and says so in a line each.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClient,
  type FollowedEvent,
  type FootlightEvent,
  verifyWebhook,
  WebhookError,
} from 'footlight-client';

const way = process.argv[2];
if (way === 'webhooks') receive();
else if (way === 'stream') await follow();
else throw new Error('usage: follow-events.ts webhooks|stream');

/** What your system does about an event. It may come twice: what is done must be the same then. */
function handle(event: FootlightEvent | FollowedEvent): void {
  console.log(lineOf(event));
}

function lineOf(event: FootlightEvent | FollowedEvent): string {
  const { type, data } = event;
  if (event.type === 'channel.live')
    return `channel ${event.data.channel_id} is live since ${event.data.begin}`;
  if (event.type === 'show.ended') {
    const { uv, peak, watch_seconds } = event.data.figures;
    return `show ${event.data.show_id} has ended: ${uv} viewers, ${peak} at once, ${watch_seconds} s watched`;
  }
  if (event.type === 'video.ready')
    return `video ${event.data.video_id} is ready: ${event.data.name}`;
  if (event.type === 'missing')
    return `events ${event.data.from} to ${event.data.to} are not kept any more: read the lists anew`;
  return `${type} ${JSON.stringify(data)}`;
}

/** A server that webhooks are sent to; both secrets while one is changed, with a comma between. */
function receive(): void {
  const { WEBHOOK_SECRETS = '', PORT = '3000' } = process.env;
  const secrets = WEBHOOK_SECRETS.split(',').filter(Boolean);
  if (secrets.length === 0) throw new Error('set WEBHOOK_SECRETS');
  /** Ids that were dealt with: an answer may be lost, and the event comes again. */
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    try {
      const event = await verifyWebhook(await bytesOf(request), request.headers, secrets);
      const id = String(request.headers['webhook-id']);
      if (!known.has(id)) handle(event);
      known.add(id);
      for (const old of known) if (known.size > 10_000) known.delete(old);
      response.writeHead(204).end();
    } catch (error) {
      // Not from Footlight: nothing is done. All else is our own trouble, and it will come again.
      response.writeHead(error instanceof WebhookError ? 400 : 500).end();
      console.error((error as Error).message);
    }
  });
  server.listen(Number(PORT), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request) {
    pieces.push(piece);
    length += piece.length;
    if (length > 262_144) throw new WebhookError('The body is too long');
  }
  return Buffer.concat(pieces);
}

/** For those who cannot receive calls. The place behind the last event is kept in a file, so that none is missed. */
async function follow(): Promise<void> {
  const { FOOTLIGHT_URL, FOOTLIGHT_TOKEN, POSITION_FILE = 'position.txt' } = process.env;
  if (!FOOTLIGHT_URL || !FOOTLIGHT_TOKEN) throw new Error('set FOOTLIGHT_URL and FOOTLIGHT_TOKEN');
  const footlight = createClient({ baseUrl: FOOTLIGHT_URL, token: FOOTLIGHT_TOKEN });
  const after = keptPosition(POSITION_FILE);
  for await (const event of footlight.events(after === '' ? {} : { after })) {
    handle(event);
    // In one step: who is killed here finds the old place or the new one.
    writeFileSync(`${POSITION_FILE}.new`, event.position);
    renameSync(`${POSITION_FILE}.new`, POSITION_FILE);
  }
}

function keptPosition(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
