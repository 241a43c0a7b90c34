// The RTMP edge: who may publish and who may play, and how many at once.
import type { DirectPlayers } from './audience/players/direct-players.ts';
import type { Store } from './base/db/sql.ts';
import { ofNetwork } from './base/db/whose.ts';
import { Networks } from './base/lib/ip-address.ts';
import type { Libc } from './base/lib/libc.ts';
import type { Log } from './base/lib/log.ts';
import { networkOf } from './base/lib/network.ts';
import type { Peers } from './base/peers/peers.ts';
import { FairPlaces } from './base/turns/fair-places.ts';
import { Share } from './base/turns/share.ts';
import { nextTurn } from './base/turns/turn-slice.ts';
import type { Config } from './config.ts';
import type { Hub } from './stream/live/hub.ts';
import { channelOfKey } from './stream/live/live-store.ts';
import type { LiveChannel, LiveStream, Publication } from './stream/live/live-stream.ts';
import { ChannelTaken, type Lease, type PushLeases } from './stream/live/push-lease.ts';
import { PushCut } from './stream/live/push-meter.ts';
import { PushedTooOften } from './stream/live/push-pace.ts';
import type { AdmittedPlayers } from './stream/playback/admitted-players.ts';
import type { RtmpPlays } from './stream/playback/rtmp-play.ts';
import { Refused } from './stream/rtmp/publish-request.ts';
import { rtmpLimitsOf } from './stream/rtmp/rtmp-limits.ts';
import type { Player, PlaySource } from './stream/rtmp/rtmp-player.ts';
import { rtmpRefusals } from './stream/rtmp/rtmp-refusals.ts';
import {
  type RtmpServer,
  type RtmpServerOptions,
  startRtmpServer,
} from './stream/rtmp/rtmp-server.ts';
import type { RtmpServices } from './stream/rtmp/rtmp-session.ts';

export interface RtmpEdgeOptions {
  config: Config;
  store: Pick<Store, 'for'>;
  hub: Hub;
  leases: PushLeases;
  /** The channel was claimed, and nothing of it has come yet. */
  onClaimed(channel: LiveChannel, lease: Lease): Promise<void>;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  /** Undefined where they are not counted. */
  directPlayers: DirectPlayers | undefined;
  plays: RtmpPlays;
  /** Who may play what. */
  admitted: Pick<AdmittedPlayers, 'enter'>;
  /** What is on air at a play address, on whatever node. */
  streamOf(playId: string, address: string): Promise<LiveStream | undefined>;
  libc: Libc | undefined;
  log: Log;
}

export interface RtmpEdge extends Pick<RtmpServer, 'port' | 'shut' | 'stop'> {
  counts(): RtmpCounts;
}

/** Since the start. */
export interface RtmpCounts {
  /** Times that a player fell behind. */
  slowPlayers: number;
  /** What players have left unread, now. */
  unreadBytes: number;
}

export function startRtmpEdge(options: RtmpEdgeOptions): RtmpEdge {
  const { config, peers, directPlayers, plays, admitted, streamOf, libc, log } = options;
  const bounds = config.bounds.rtmp;
  const { isAllowed } = peers;
  const players = new Share({ placesMax: bounds.playersMax, isAllowed });
  const server = listen({
    host: config.host,
    port: config.rtmpPort,
    libc,
    log,
    refusals: peers.refusals.book('rtmp', rtmpRefusals),
    isAllowed,
    proxies: proxiesOf(config),
    limits: rtmpLimitsOf(bounds),
    openPublication: publications(options),
    openPlay: async (asked, player) => {
      const { playId, address } = asked;
      const leaveAdmitted = await admitted.enter(asked, player);
      try {
        const stream = await streamOf(playId, address);
        if (!stream) throw new Refused('No live channel has this play address', 'play');
        const leavePlace = takePlayerPlace(players, networkOf(address));
        const source = closing(plays.play(stream, player), () => {
          leavePlace();
          leaveAdmitted();
        });
        const given = { channel: stream.channel, address, player };
        return directPlayers ? counted(directPlayers, source, given) : source;
      } catch (error) {
        leaveAdmitted();
        throw error;
      }
    },
  });
  return {
    ...server,
    counts: () => ({ slowPlayers: plays.slowCount, unreadBytes: server.unreadBytes() }),
  };
}

/** Those whose connections begin with a PROXY header. */
function proxiesOf({ rtmpProxyProtocol, trustedProxies }: Config): Networks | undefined {
  if (!rtmpProxyProtocol) return undefined;
  if (trustedProxies === '')
    throw new Error(
      'RTMP_PROXY_PROTOCOL needs TRUSTED_PROXIES, the addresses that the load balancer connects from',
    );
  return new Networks(trustedProxies);
}

/** Those who have shown a key have places of their own, of which an account may take half of what the others leave. */
function publications({
  config,
  store,
  hub,
  leases,
  onClaimed,
}: RtmpEdgeOptions): RtmpServices['openPublication'] {
  const places = new Share({ placesMax: config.bounds.rtmp.publishersMax });
  // Pushes that come back, one a turn: what is left of what they had sent is packaged then, in some milliseconds.
  const returns = new FairPlaces({ placesMax: 1 });
  return async ({ key, address, abort, lookUp }) => {
    const channel = await lookUp(() => channelOfKey(store.for(ofNetwork(address)), key));
    if (!channel) throw new Refused('No channel has this publish key', 'key');
    const account = `account ${channel.account_id}`;
    // A push that comes back has its place; its window may close while it waits for its turn.
    const isOnAir = () => hub.isOnAir(channel.id);
    if (isOnAir()) await returns.run({ whose: account }, nextTurn);
    if (!isOnAir() && places.refusal(account))
      throw new Refused('As many channels are published to as may be', 'publishers');
    // Before it is claimed, which may take seconds.
    places.take(account);
    const given = { hub, leases, onClaimed, channel, abort };
    const publication = await openPublication(given).catch((error) => {
      places.leave(account);
      throw error;
    });
    return {
      ...publication,
      end: (how) => {
        places.leave(account);
        publication.end(how);
      },
    };
  };
}

async function openPublication(given: {
  hub: Hub;
  leases: PushLeases;
  onClaimed: RtmpEdgeOptions['onClaimed'];
  channel: LiveChannel;
  abort: (reason: string) => void;
}): Promise<Publication> {
  const { hub, leases, onClaimed, channel, abort } = given;
  let lease: Lease | undefined;
  try {
    hub.checkOpen();
    lease = await leases.claim(channel);
    await onClaimed(channel, lease);
    return hub.publish(channel, lease, abort);
  } catch (error) {
    // Whoever was refused here has begun nothing, and may be taken elsewhere.
    if (lease && !hub.isOnAir(channel.id)) await leases.letGo(lease);
    if (error instanceof ChannelTaken) throw new Refused(error.message, 'taken');
    // Counted where pushes are.
    if (error instanceof PushedTooOften || error instanceof PushCut)
      throw new Refused(error.message);
    throw error;
  }
}

function listen(options: RtmpServerOptions): RtmpServer {
  try {
    return startRtmpServer(options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `port ${options.port} is in use: stop the program that has it, or choose another with RTMP_PORT`,
      { cause: error },
    );
  }
}

/** What this node has on air at a play address. */
export function streamAt(hub: Hub, playId: string): LiveStream | undefined {
  return hub.streams.find(({ channel }) => channel.play_id === playId);
}

/** Returns how to leave it. */
function takePlayerPlace(players: Share, network: string): () => void {
  const refusal = players.refusal(network);
  if (refusal === 'full') throw new Refused('All places for players are taken', 'players');
  if (refusal) throw new Refused('Too many players are on this network', 'network');
  players.take(network);
  return () => players.leave(network);
}

function closing(source: PlaySource, leave: () => void): PlaySource {
  return {
    drained: () => source.drained(),
    close: () => {
      leave();
      source.close();
    },
  };
}

/** The player is a session for as long as its source is open. */
function counted(
  directPlayers: DirectPlayers,
  source: PlaySource,
  { channel, address, player }: { channel: LiveChannel; address: string; player: Player },
): PlaySource {
  const takenBytes = () => player.takenBytes;
  return closing(
    source,
    directPlayers.playing({ channel_id: channel.id, ip: address, takenBytes }),
  );
}
