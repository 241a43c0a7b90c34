// `footlight publish` and `footlight demo`: someone to push, where no encoder is at hand.
import type { Store } from '../base/db/sql.ts';
import type { Config } from '../config.ts';
import { createFirstAccount } from '../library/access/account-store.ts';
import {
  accountOfChannel,
  createChannel,
  findChannel,
  listChannels,
} from '../library/channels/channel-store.ts';
import { unreachable } from '../stream/rtmp/client-session.ts';
import { clipOf, pushClip } from '../stream/rtmp/paced-push.ts';
import { publishTo } from '../stream/rtmp/rtmp-client.ts';
import { localRtmpAddress, rtmpAddress, siteAddress } from './addresses.ts';
import {
  type Command,
  type RunConfig,
  readOptions,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

export const publishCommands: Command[] = [
  {
    name: 'publish',
    audit: 'channels',
    usage: 'publish [--channel N | --url rtmp://…] [--file F] [--loop]',
    sentence: 'Push a file (FLV or MP4 with H.264 and AAC), or the test clip, as an encoder would.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel', 'url', 'file'], { flags: ['loop'] });
      if (options.channel !== undefined && options.url !== undefined)
        throw new UsageError('--channel and --url cannot be given together');
      const url = options.url ?? (await addressOf(config, options.channel));
      await push(url, { file: options.file, loop: options.loop ?? false });
      console.log('The push is over.');
      return 0;
    },
  },
  {
    name: 'demo',
    audit: 'channels',
    usage: 'demo',
    sentence: 'Push the test clip to a demo channel, made if there is none, until Ctrl-C.',
    run: async (words, config) => {
      readOptions(words, []);
      const channel = await withStore(config, demoChannel);
      const site = siteAddress(config);
      await push(publishAddress(config, channel.stream_key), {
        loop: true,
        onStarted: () => console.log(demoText(site, config, channel)),
      });
      console.log(
        `The push is over. Its video is in the list now: GET ${site}/v1/videos?act_id=${channel.id}`,
      );
      return 0;
    },
  },
];

async function push(
  url: string,
  given: { file?: string | undefined; loop: boolean; onStarted?(): void },
): Promise<void> {
  // Container formats are many; the service need not load them.
  const { readClip } = await import('./clip-file.ts');
  const clip = clipOf(await readClip(given.file));
  const publisher = await publishTo(url).catch((error: Error) => {
    if (error.message !== unreachable) throw error;
    throw new Error(`${unreachable}. Is the service running? Start it with: npm start`);
  });
  given.onStarted?.();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await pushClip(publisher, clip, { loop: given.loop, signal: stop.signal });
}

async function addressOf(config: RunConfig, channel: string | undefined): Promise<string> {
  if (channel === undefined) throw new UsageError('--channel or --url must be given');
  const id = wholeNumber(channel, '--channel');
  const { stream_key } = await withStore(config, async (store) => {
    const account_id = await accountOfChannel(store, id);
    return await findChannel(store, id, { account_id, manager_id: 0 });
  });
  return publishAddress(config, stream_key);
}

/** The service is on this machine, as its database is; elsewhere `--url` says where. */
function publishAddress(config: Config, key: string): string {
  return `${localRtmpAddress(config)}/live/${key}`;
}

const demoName = 'Footlight demo';
const searchedMax = 1_000;

async function demoChannel(store: Store) {
  const now = Date.now();
  await store.perform(createFirstAccount, { now });
  const owner = { account_id: 1, manager_id: 0 };
  const { rows } = await store.perform(listChannels, {
    owner,
    live: false,
    manager: undefined,
    limit: searchedMax,
    offset: 0,
  });
  const known = rows.find(({ name }) => name === demoName);
  if (known) return known;
  const page = { set: {}, clear: [] };
  const order = { owner, name: demoName, manager_id: 0, page, now, idempotency: undefined };
  return (await store.perform(createChannel, order)).row;
}

function demoText(site: string, config: Config, channel: { id: number; play_id: string }): string {
  return [
    `The test clip is live on channel ${channel.id}, "${demoName}".`,
    '',
    `  watch   ${site}/watch/${channel.id}`,
    `  HLS     ${site}/hls/${channel.play_id}/live.m3u8`,
    `  RTMP    ${rtmpAddress(config)}/play/${channel.play_id}`,
    '',
    'Open the watch address in a browser: the clock in the picture is what the encoder sends now. Say something in',
    'the chat, close the page, and ask for the visitors of the channel. The HLS address plays in any player, for',
    'instance ffplay, VLC or Safari. Ctrl-C ends the push; it then becomes a video, and the page offers it.',
  ].join('\n');
}
