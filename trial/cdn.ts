// The recipe for Varnish, run: many low-latency players of one push through edges and a shield, against the service itself.
import { startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { newLiveChannel, until } from '../test/support/live-channel.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { comparedWith, type PartPlayer, startPartPlayer } from './support/part-player.ts';
import { lackingProxies } from './support/proxies.ts';
import { type RunningVarnish, startVarnish } from './support/varnish.ts';

const withinMs = 60_000;

export const trial: Trial = {
  sentence:
    '40 LL-HLS players through Varnish, two edges and a shield, of a channel for all and of one with passes: nothing lost, one asks for all parts',
  rounds: 1,
  run: async (options) => {
    const lacking = lackingProxies(['varnishd', 'varnishstat']);
    if (lacking !== undefined) throw new Error(`it needs programs that are not here: ${lacking}`);
    const order = { players: 40, edges: 2, seconds: 30 };
    const figures = await cdnRound(options, order);
    const guarded = await guardedCdnRound(options, order);
    return { ...figures, ...guarded };
  },
};

export interface CdnOrder {
  players: number;
  edges: number;
  /** Of media that every player has at least. */
  seconds: number;
  /** Only whoever has a pass may watch. */
  isGuarded?: boolean;
}

/** The same where not everybody may watch, each player with a pass of its own. */
export async function guardedCdnRound(options: RoundOptions, order: CdnOrder): Promise<Figures> {
  const figures = await cdnRound(options, { ...order, isGuarded: true });
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [`guarded_${name}`, figure]),
  );
}

export async function cdnRound({ say }: RoundOptions, order: CdnOrder): Promise<Figures> {
  const service = await startProcess({
    DATA_DIR: temporaryFolder(),
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const shield = await startVarnish(Number(new URL(service.url).port));
  const edges = await Promise.all(
    Array.from({ length: order.edges }, () => startVarnish(shield.port)),
  );
  try {
    const channel = await newLiveChannel(service);
    const path = new URL(channel.playlistUrl).pathname;
    const { isGuarded = false } = order;
    if (isGuarded)
      await service.call('PUT', `/manage/v1/channels/${channel.id}/access`, {
        body: { kind: 'signed' },
      });
    const ownPath = async () => (isGuarded ? (await passOf(service, channel.id)) + path : path);
    const addresses = await Promise.all(edges.map(async ({ url }) => url + (await ownPath())));
    demand(await notAnswered(addresses, 404));
    const push = await startClipPush(channel.publishUrl);
    const startedAt = performance.now();
    const origin = startPartPlayer(service.url + (await ownPath()));
    const players = await Promise.all(
      Array.from({ length: order.players }, async (_, at) =>
        startPartPlayer((edges[at % edges.length]?.url ?? '') + (await ownPath())),
      ),
    );
    await until(async () => origin.checker.last !== undefined, {
      withinMs,
      otherwise: 'never live',
    });
    // A 404 that were kept would still be there.
    demand(await notAnswered(addresses, 200));
    const all = [origin, ...players];
    const hasEnough = async () =>
      all.every(({ checker }) => checker.shownMs > order.seconds * 1_000);
    await until(hasEnough, { withinMs: withinMs + order.seconds * 2_000, otherwise: 'it stalls' });
    await push.end();
    await Promise.all(all.map(({ over }) => over));
    say(
      `all saw the end, ${Math.round((performance.now() - startedAt) / 1_000)} s after the start`,
    );
    demand(players.flatMap((player) => comparedWith(player, origin)).slice(0, 10));
    // Of playlists behind a pass nobody keeps any.
    if (!isGuarded) await strangersQueries(addresses[0] ?? '', shield);
    return await figuresOf({ origin, players, shield, edges });
  } finally {
    for (const edge of edges) await edge.stop();
    await shield.stop();
    await service.stop();
  }
}

/** What an address begins with for whoever has a link of their own. */
async function passOf({ call }: Pick<ServiceProcess, 'call'>, channel_id: number): Promise<string> {
  const { body } = await call('POST', `/manage/v1/channels/${channel_id}/play-link`, { body: {} });
  return `/pass/${new URL(body.embed_url).searchParams.get('pass')}`;
}

/** Who is answered otherwise, of those who begin, with parts and without. */
async function notAnswered(addresses: readonly string[], status: number): Promise<string[]> {
  const all = addresses.flatMap((address) => [address, `${address}?low_latency`]);
  const answers = await Promise.all([...all, ...all].map((address) => fetch(address)));
  return answers
    .filter((answer) => answer.status !== status)
    .map((answer) => `a playlist was answered ${answer.status}, not ${status}`);
}

/** A query that means nothing makes no other answer. */
async function strangersQueries(address: string, shield: RunningVarnish): Promise<void> {
  const wanted = '?_HLS_msn=1&_HLS_part=0';
  const ask = async (query: string) => await (await fetch(address + query)).text();
  const text = await ask(wanted);
  const before = await shield.asked();
  const queries = ['&x=1', '&y=2&z', '&_HLS_nothing=5'].map((more) => wanted + more);
  const answers = await Promise.all(queries.map(ask));
  const asked = (await shield.asked()) - before;
  demand([
    ...(answers.every((answer) => answer === text) ? [] : ['a query changed the playlist']),
    ...(asked === 0 ? [] : [`queries that mean nothing were asked for ${asked} times`]),
  ]);
}

async function figuresOf(given: {
  origin: PartPlayer;
  players: readonly PartPlayer[];
  shield: RunningVarnish;
  edges: readonly RunningVarnish[];
}): Promise<Figures> {
  const { origin, players, shield } = given;
  const ofEdges = await Promise.all(given.edges.map((edge) => edge.asked()));
  const laterMs = players
    .flatMap(({ pieces }) =>
      [...pieces].flatMap(([name, { at }]) => {
        const there = origin.pieces.get(name);
        return there && /\.\d+\.m4s$/.test(name) ? [at - there.at] : [];
      }),
    )
    .sort((a, b) => a - b);
  const share = (part: number) => Math.round(laterMs[Math.floor(part * laterMs.length)] ?? 0);
  const requests = players.reduce((sum, player) => sum + player.requests(), 0);
  const playlists = players.reduce((sum, player) => sum + player.playlists(), 0);
  const requestsAtOrigin = await shield.asked();
  return {
    players: players.length,
    parts_each: Math.round(laterMs.length / players.length),
    requests_of_players: requests,
    requests_at_shield: ofEdges.reduce((sum, asked) => sum + asked, 0),
    requests_at_origin: requestsAtOrigin,
    playlists_of_players: playlists,
    parts_of_players: requests - playlists,
    parts_made: [...given.origin.pieces.keys()].length,
    requests_of_one_player: Math.round(requests / players.length),
    later_than_direct_ms_median: share(0.5),
    later_than_direct_ms_99: share(0.99),
  };
}
