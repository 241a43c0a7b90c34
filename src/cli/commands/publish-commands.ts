// `footlight publish` and `footlight demo`: someone to push, where no encoder is at hand.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import { sqliteFile } from '../../base/db/store.ts';
import type { Config } from '../../config.ts';
import { createFirstAccount } from '../../library/access/account-store.ts';
import {
  accountOfChannel,
  createChannel,
  findChannel,
  listChannels,
} from '../../library/channels/channel-store.ts';
import { unreachable } from '../../stream/rtmp/client-session.ts';
import { keepPushing } from '../../stream/rtmp/kept-push.ts';
import { clipOf, pushClip } from '../../stream/rtmp/paced-push.ts';
import { publishTo } from '../../stream/rtmp/rtmp-client.ts';
import { localRtmpAddress, rtmpAddress, siteAddress } from '../parts/addresses.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { CommandError, UsageError } from '../parts/exit-codes.ts';
import { untilInterrupted } from '../parts/interrupt.ts';
import { flag, option } from '../parts/option.ts';
import { speaksRtmp } from '../parts/rtmp-greeting.ts';
import { exact, file, whole } from '../parts/value-kinds.ts';

export const publishCommand: Command = command({
  name: 'publish',
  audit: 'nothing',
  sentence: 'Push a file, or the test clip, as an encoder would.',
  more: 'The file is FLV, MP4, MOV, MKV, WebM or MPEG-TS with H.264 and AAC.',
  options: {
    channel: option(whole, 'To which channel of the service on this machine; this or --url.'),
    url: option({ ...exact, value: 'rtmp://…' }, 'To which publish address.'),
    file: option(file, 'What to push; without it the test clip.'),
    loop: flag('Begin again at the end, until Ctrl-C.'),
  },
  examples: ['publish --channel 7 --file show.mp4'],
  run: async ({ channel, url, file, loop }, run) => {
    if (channel !== undefined && url !== undefined)
      throw new UsageError('--channel and --url cannot be given together');
    await push(url ?? (await addressOf(run, channel)), { file, loop });
    if (run.out.isJson) await run.out.line({ result: 'success' });
    else await run.out.text('The push is over.');
  },
});

export const demoCommand: Command = command({
  name: 'demo',
  audit: 'channels',
  sentence: 'Push the test clip to a demo channel, made if there is none, until Ctrl-C.',
  more: 'The service runs on this machine: type it where that was started, with the same DATA_DIR and RTMP_PORT. Where it is cut it comes back, as an encoder does.',
  run: async (_, run) => {
    const { config, out } = run;
    await checkService(config);
    const channel = await withStore(run, demoChannel);
    const site = siteAddress(config);
    const addresses = demoAddresses(site, config, channel);
    const url = publishAddress(config, channel.stream_key);
    const { clip, publisher } = await beginPush(url, undefined);
    await (out.isJson
      ? out.line({ id: channel.id, name: demoName, ...addresses })
      : out.text(demoText(channel, addresses)));
    await untilInterrupted((signal) =>
      keepPushing(publisher, clip, {
        signal,
        connect: () => publishTo(url, { signal }),
        onCut: (reason) => out.remark(`${reason}; it is tried again, as encoders do`),
        onBack: () => out.remark('The push is let in again.'),
      }),
    );
    if (out.isJson) return;
    await out.text(
      `The push is over. Its video is in the list now: GET ${site}/v1/videos?act_id=${channel.id}`,
    );
  },
});

async function push(
  url: string,
  { file, loop }: { file: string | undefined; loop: boolean },
): Promise<void> {
  const { clip, publisher } = await beginPush(url, file);
  await untilInterrupted((signal) => pushClip(publisher, clip, { loop, signal }));
}

async function beginPush(url: string, named: string | undefined) {
  // Container formats are many; the service need not load them.
  const { readClip } = await import('../parts/clip-file.ts');
  const clip = clipOf(await readClip(named));
  const publisher = await publishTo(url).catch((error: Error) => {
    if (error.message !== unreachable) throw error;
    throw notReached();
  });
  return { clip, publisher };
}

function notReached(): Error {
  return new Error(
    `${unreachable}. Is the service running? Start it with: npm start. Where it has another RTMP_PORT, give this the same`,
  );
}

/** Where it does not run, or has its data elsewhere, nothing is made: a new database would be nobody's. */
async function checkService(config: Config): Promise<void> {
  const { hostname, port } = new URL(localRtmpAddress(config));
  const isThere = await speaksRtmp(hostname.replace(/^\[|\]$/g, ''), Number(port));
  if (!isThere) throw notReached();
  if (config.databaseUrl === '' && !existsSync(sqliteFile(config)))
    throw new CommandError(
      'database',
      `a service runs, and its database is not in ${resolve(config.dataDir)}: type this in the folder where it was started, or with its DATA_DIR`,
    );
}

async function addressOf(run: Run, id: number | undefined): Promise<string> {
  if (id === undefined) throw new UsageError('--channel or --url must be given');
  const { stream_key } = await withStore(run, async (store) => {
    const account_id = await accountOfChannel(store, id);
    return await findChannel(store, id, { account_id, manager_id: 0 });
  });
  return publishAddress(run.config, stream_key);
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

function demoAddresses(site: string, config: Config, channel: { id: number; play_id: string }) {
  return {
    watch: `${site}/watch/${channel.id}`,
    hls: `${site}/hls/${channel.play_id}/live.m3u8`,
    rtmp: `${rtmpAddress(config)}/play/${channel.play_id}`,
  };
}

function demoText(
  { id }: { id: number },
  { watch, hls, rtmp }: ReturnType<typeof demoAddresses>,
): string {
  return [
    `The test clip is live on channel ${id}, "${demoName}".`,
    '',
    `  watch   ${watch}`,
    `  HLS     ${hls}`,
    `  RTMP    ${rtmp}`,
    '',
    'Open the watch address in a browser: the clock in the picture is what the encoder sends now. Say something in',
    'the chat, close the page, and ask for the visitors of the channel. The HLS address plays in any player, for',
    'instance ffplay, VLC or Safari. Ctrl-C ends the push; it then becomes a video, and the page offers it.',
  ].join('\n');
}
