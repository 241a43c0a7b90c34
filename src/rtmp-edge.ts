// The RTMP edge: who may publish and who may play, and how many were told that they may not.
import type { Config } from './config.ts';
import type { Sql } from './db/sql.ts';
import type { Log } from './lib/log.ts';
import { ChannelTaken, type Hub } from './live/hub.ts';
import { channelOfKey } from './live/live-store.ts';
import type { LiveChannel, LiveStream } from './live/live-stream.ts';
import { PushedTooOften } from './live/push-pace.ts';
import type { Peers } from './peers/peers.ts';
import { RtmpPlays } from './playback/rtmp-play.ts';
import type { DirectPlayers } from './presence/direct-players.ts';
import type { Player, PlaySource } from './rtmp/player.ts';
import { Refused } from './rtmp/publication.ts';
import { type RtmpServer, type RtmpServerOptions, startRtmpServer } from './rtmp/rtmp-server.ts';

export interface RtmpEdgeOptions {
  config: Config;
  store: Sql;
  hub: Hub;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  /** Undefined where they are not counted. */
  directPlayers: DirectPlayers | undefined;
  now: () => number;
  log: Log;
}

export interface RtmpEdge extends Pick<RtmpServer, 'port' | 'stop'> {
  counts(): RtmpCounts;
}

/** Since the start. */
export interface RtmpCounts {
  /** By reason. */
  refusals: Readonly<Record<string, number>>;
  /** Times that a player fell behind. */
  slowPlayers: number;
}

export function startRtmpEdge(options: RtmpEdgeOptions): RtmpEdge {
  const { config, store, hub, directPlayers, now, log } = options;
  const plays = new RtmpPlays();
  const refusals = { key: 0, taken: 0, play: 0 };
  const refused = (reason: keyof typeof refusals, sentence: string) => {
    refusals[reason] += 1;
    return new Refused(sentence, { isGuess: reason !== 'taken' });
  };
  const server = listen({
    host: config.host,
    port: config.rtmpPort,
    now,
    log,
    limits: { connectionsPerAddressMax: config.rtmpConnectionsPerAddress },
    openPublication: async ({ key, abort }) => {
      const channel = await channelOfKey(store, key);
      if (!channel) throw refused('key', 'No channel has this publish key');
      try {
        return hub.publish(channel, abort);
      } catch (error) {
        if (error instanceof ChannelTaken) throw refused('taken', error.message);
        if (error instanceof PushedTooOften) throw new Refused(error.message, { isGuess: false });
        throw error;
      }
    },
    openPlay: async ({ playId, address }, player) => {
      const stream = streamAt(hub, playId);
      if (!stream) throw refused('play', 'No live channel has this play address');
      const source = plays.play(stream, player);
      const given = { channel: stream.channel, address, player };
      return directPlayers ? counted(directPlayers, source, given) : source;
    },
  });
  return {
    ...server,
    counts: () => ({
      refusals: { ...server.refusals, ...refusals },
      slowPlayers: plays.slowCount,
    }),
  };
}

/** The channel that is on air at a play address. */
export function onAirAt(hub: Hub, playId: string): LiveChannel | undefined {
  return streamAt(hub, playId)?.channel;
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

function streamAt(hub: Hub, playId: string): LiveStream | undefined {
  return hub.streams.find(({ channel }) => channel.play_id === playId);
}

/** The player is a session for as long as its source is open. */
function counted(
  directPlayers: DirectPlayers,
  source: PlaySource,
  { channel, address, player }: { channel: LiveChannel; address: string; player: Player },
): PlaySource {
  const takenBytes = () => player.takenBytes;
  const leave = directPlayers.playing({ channel_id: channel.id, ip: address, takenBytes });
  return {
    drained: () => source.drained(),
    close: () => {
      leave();
      source.close();
    },
  };
}
