// The media river from end to end: RTMP in, live, packaging, playback, recording and what follows it.
import type { MediaCall, MediaHandler } from './base/api/media-answer.ts';
import type { Store } from './base/db/sql.ts';
import type { Libc } from './base/lib/libc.ts';
import type { Log } from './base/lib/log.ts';
import type { Links } from './base/links/links.ts';
import type { Nodes } from './base/nodes/membership.ts';
import type { Peers } from './base/peers/peers.ts';
import type { Config } from './config.ts';
import type { Admissions } from './library/admission/admissions.ts';
import { captionFiles } from './library/captions/caption-files.ts';
import type { JobCounts } from './library/jobs/job-runner.ts';
import { type Audience, packager } from './packager.ts';
import { type RiverPart, startRecordingSide } from './recording-side.ts';
import { type RtmpCounts, startRtmpEdge, streamAt } from './rtmp-edge.ts';
import type { Clips } from './stream/clips/clips.ts';
import { sharedClips } from './stream/clips/shared-clips.ts';
import { mediaTopic } from './stream/following/followed-media.ts';
import { Followers } from './stream/following/followers.ts';
import { HeldShows } from './stream/following/held-shows.ts';
import { PacketFeeds } from './stream/following/packet-feeds.ts';
import { packetsTopic } from './stream/following/relayed-packets.ts';
import { Relays } from './stream/following/relays.ts';
import { StreamFeeds } from './stream/following/stream-feeds.ts';
import { StreamPlaces } from './stream/following/stream-places.ts';
import type { LadderCounts } from './stream/ladder/ladder.ts';
import { Ladders } from './stream/ladder/ladders.ts';
import { DatabaseLeases } from './stream/live/database-leases.ts';
import { channelDeleted, Hub } from './stream/live/hub.ts';
import { joinKeyNews } from './stream/live/key-news.ts';
import { startKeyWatch } from './stream/live/key-watch.ts';
import { startLiveRecord } from './stream/live/live-record.ts';
import type { LiveStream } from './stream/live/live-stream.ts';
import { startLostPushes } from './stream/live/lost-pushes.ts';
import { startMediaCollector } from './stream/live/media-collector.ts';
import { joinPushes } from './stream/live/push-asked.ts';
import { type HeldChannel, PushHolders } from './stream/live/push-holders.ts';
import { type LeaseCounts, SoleLeases } from './stream/live/push-lease.ts';
import { pushRates } from './stream/live/push-limits.ts';
import { PushesMemory } from './stream/live/push-memory.ts';
import { PushMeters } from './stream/live/push-meter.ts';
import { type PushNow, pushNow } from './stream/live/push-now.ts';
import { PushPace } from './stream/live/push-pace.ts';
import { pushRefusals } from './stream/live/push-refusals.ts';
import { type PushStanding, pushStanding } from './stream/live/push-standing.ts';
import { PictureProcess } from './stream/pictures/picture-process.ts';
import { SharedPictures } from './stream/pictures/shared-pictures.ts';
import { StreamPictures } from './stream/pictures/stream-pictures.ts';
import { admittedMedia } from './stream/playback/admitted-media.ts';
import { AdmittedPlayers } from './stream/playback/admitted-players.ts';
import { BucketReaders } from './stream/playback/bucket-readers.ts';
import { liveFiles } from './stream/playback/live-files.ts';
import { LiveWindows } from './stream/playback/live-windows.ts';
import { playbackLimits } from './stream/playback/playback-limits.ts';
import { recordingRefusals } from './stream/playback/playback-refusals.ts';
import { recordingFiles } from './stream/playback/recording-files.ts';
import { RtmpPlays } from './stream/playback/rtmp-play.ts';
import { showListFiles } from './stream/playback/show-list-files.ts';
import { ShowLists } from './stream/playback/show-lists.ts';
import { ShowSources } from './stream/playback/show-sources.ts';
import type { BucketSpool } from './stream/recording/bucket-spool.ts';
import { freeBytes } from './stream/recording/disk-room.ts';
import type { Recordings } from './stream/recording/recordings.ts';
import { isTranscoderInstalled } from './stream/recording/worker/transcoder.ts';
import type { NodeUploads } from './stream/uploads/node-uploads.ts';

export interface River {
  rtmpPort: number;
  /** What the HTTP server answers under its paths. */
  media: Record<string, MediaHandler>;
  /** Undefined where no push of the channel is here. */
  pushHere(channel_id: number): PushNow | undefined;
  /** The same of whichever node has it. */
  pushOf: ReturnType<typeof joinPushes>;
  pictures: SharedPictures;
  clips: Clips;
  uploads: NodeUploads;
  keptRoom: Recordings['keptRoom'];
  /** There may be a job to be done. */
  wakeJobs(): void;
  liveCount(): number;
  /** Streams of other nodes that RTMP players here play. */
  relayedCount(): number;
  /** Channels that are published to, those that have been longest first. */
  liveChannels(): number[];
  /** What the disk of the data folder has free; undefined where it does not say. */
  diskFreeBytes(): Promise<number | undefined>;
  /** For how long the job has been due that waits longest. */
  jobsWaitingMs(): Promise<number>;
  /** Whether the channel is published to, at whatever node, or may still be again. */
  pushStanding(channel: HeldChannel): Promise<PushStanding>;
  /** The channel is deleted: its push ends, and nothing is shown at its play address. */
  deleted(channel: { id: number; play_id: string }): void;
  /** Who may watch has changed: players here who may no longer are cut. */
  admissionChanged(): void;
  /** A publish key was changed: its publisher is cut, on whatever node. */
  keysChanged(): void;
  /** Of the media of all pushes. */
  memoryBytes(): number;
  counts(): RiverCounts;
  /** Before a stop where other nodes are: the job that runs is given back, and no other is begun. */
  giveBackJobs(): Promise<void>;
  /** The same: nobody else is let in, and other nodes go on with every push. */
  handOver(): Promise<void>;
  /** Ends every push; resolves when their recordings are videos. */
  stop(): Promise<void>;
}

/** Since the start. */
export interface RiverCounts {
  rtmp: RtmpCounts;
  jobs: Readonly<JobCounts>;
  recordingsShed: number;
  /** Smaller sizes of pushes: how many are made now, and what befell them. */
  ladders: Ladders['now'] & Readonly<LadderCounts>;
  /** What waits on the disk for the bucket now; undefined where recordings stay on the disk. */
  spool: ReturnType<BucketSpool['state']> | undefined;
  /** Undefined where no other node could have the pushes. */
  leases: LeaseCounts | undefined;
  /** Streams of other nodes that are shown here, and how far the last of them is behind its holder. */
  followed: { streams: number; lagMs: number | undefined };
  /** Nodes that follow streams of this one for pages, and those that do for RTMP players, all streams together. */
  followers: number;
}

/** An encoder that was sent away is elsewhere within this. */
const takenWithinMs = 1_000;

interface RiverOptions {
  config: Config;
  /** This service among those on its database, and how it talks with them. */
  nodes: Nodes;
  links: Links;
  store: Store;
  audience: Audience;
  admissions: Admissions;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  libc: Libc | undefined;
  now: () => number;
  log: Log;
}

export async function startRiver(options: RiverOptions): Promise<River> {
  const { config, nodes, links, store, audience, admissions, peers, libc, now, log } = options;
  const { node } = nodes;
  const { dataDir, bounds } = config;
  const started: RiverPart[] = [];
  const stop = async () => {
    for (const part of started.toReversed()) {
      // A part that fails to stop must not keep the others from it.
      await (async () => await part.stop())().catch((error) =>
        log.error('a part of the river did not stop', { error }),
      );
    }
  };
  try {
    const holders = new PushHolders({ store, links });
    const refusals = peers.refusals.book('push', pushRefusals);
    const side = await startRecordingSide({
      ...{ config, nodes, links, store, holders, peers, refusals, started, now, log },
      videoMade: audience.videoMade.bind(audience),
    });
    const { storage, jobs, written, spool, shared, recordings, beforeStint, clips, uploads } = side;
    const deleted: River['deleted'] = ({ id, play_id }) => {
      hub.end(id, channelDeleted);
      windows.forget(play_id);
      recordings.shows.forget(play_id);
    };
    const onDeleted = ({ channel }: LiveStream) => deleted(channel);
    const record = await startLiveRecord({
      ...{ store, node, now, log, onDeleted },
      isShared: config.nodeUrl !== '' && store.dialect === 'postgres',
      onWritten: (channel_id) => audience.showWritten(channel_id),
    });
    started.push(record);
    for (const { channel_id, show, endAt } of record.before)
      audience.wasLive(channel_id, show, endAt);
    const isAllowed = (network: string) => peers.isAllowed(network);
    const windows = new LiveWindows({ waitersMax: bounds.playback.waitersMax, isAllowed });
    const feeds = new StreamFeeds({ now });
    // Asked for every packet, and compared on this thread alone.
    const monotonicMs = () => performance.now();
    const ladders = new Ladders({
      cores: config.ladderCores,
      memoryBytesMax: config.jobMemoryBytes,
      monotonicMs,
      log,
    });
    const openReader = packager({
      ...{ windows, feeds, ladders, recordings, written, record, audience, now, log },
      own: (stream) => {
        followers.own(stream.channel.play_id);
        relays.own(stream);
      },
      renewLease: (lease) => leases.renew(lease),
    });
    const pushPace = new PushPace({
      perMinute: bounds.push.pushesPerMinute,
      accountPerMinute: bounds.push.accountPushesPerMinute,
      refusals,
    });
    const memory = new PushesMemory(bounds.push);
    const meters = new PushMeters({
      rates: pushRates(bounds.push),
      memory,
      monotonicMs,
      refusals,
    });
    const places = new StreamPlaces({ store, monotonicMs });
    const ownStream = (playId: string) => streamAt(hub, playId);
    const followers = new Followers({
      ...{ store, links, places, windows, memory, ownStream, now, monotonicMs, log },
    });
    started.push(followers);
    links.join(mediaTopic, { followed: (_node, asked, stream) => feeds.follow(asked, stream) });
    const { reconnectMs } = config;
    const onLost = ({ channel }: LiveStream) => followers.goOn(channel.play_id);
    const leases = startLeases({ options, monotonicMs, hub: () => hub, windows, onLost });
    started.push(leases);
    const hub = new Hub({
      ...{ reconnectMs, leases, now, monotonicMs, pushPace, openReader, meters, log },
      named: (channel_id) => recordings.named(channel_id),
      lastShown: ({ channel }) => windows.shownAt(channel.play_id).lastSequence,
    });
    const plays: RtmpPlays = new RtmpPlays({
      unreadBytesMax: bounds.rtmp.unreadBytesMax,
      goesOn: (stream) => relays.goOn(stream),
    });
    const relays = new Relays({
      ...{ store, links, places, memory, ownStream, now, monotonicMs, log },
      isPlayed: (stream) => plays.has(stream),
      move: (from, to) => plays.move(from, to),
    });
    const packetFeeds = new PacketFeeds();
    links.join(packetsTopic, {
      followed: (_node, asked, stream) => {
        const live = ownStream(asked.playId);
        return live && packetFeeds.follow(live, asked, stream);
      },
    });
    if (config.nodeUrl !== '')
      started.push(
        startLostPushes({
          ...{ store, nodes, links, reconnectMs, monotonicMs, log },
          isOnAir: (channel_id) => hub.isOnAir(channel_id),
          onEnded: () => shared?.look(),
        }),
      );
    const decoding = new PictureProcess({ memoryBytesMax: config.jobMemoryBytes });
    const pushHere = (channel_id: number) => pushNow(hub, channel_id);
    const pictures = new StreamPictures({
      keyFrameOf: (channel_id) => keyFrameOf(hub, channel_id),
      make: (keyFrame) => decoding.make(keyFrame),
      hasDecoder: isTranscoderInstalled(),
      monotonicMs,
    });
    started.push(decoding);
    const { directPlayers } = audience;
    const onAsked =
      directPlayers &&
      ((call: MediaCall) =>
        directPlayers.asked(
          call,
          (playId) => ownStream(playId)?.channel.id ?? followers.channelAt(playId),
        ));
    const live = liveFiles((playId, call) => followers.find(playId, call), onAsked);
    const recordingBook = peers.refusals.book('recording', recordingRefusals);
    const bucketReaders = new BucketReaders({
      readersMax: playbackLimits.bucketReadersMax,
      patienceMs: playbackLimits.bucketPatienceMs,
      isAllowed,
      refusals: recordingBook,
    });
    const heldShows = new HeldShows({
      ...{ shows: recordings.shows, windows, places, asking: holders.asking, monotonicMs },
      isOn: (playId) => ownStream(playId) !== undefined,
    });
    const sources = new ShowSources({
      ...{ store, storage, beforeStint },
      held: (playId, address) => heldShows.find(playId, address),
    });
    const lists = new ShowLists({ sources, monotonicMs });
    const goneBack = showListFiles({ sources, lists, bucketReaders, log });
    const onClaimed = followers.takeOver.bind(followers);
    const admitted = new AdmittedPlayers({ admissions, log });
    started.push(admitted);
    const rtmp = startRtmpEdge({
      ...{ config, store, hub, leases, onClaimed, peers, directPlayers, libc, log },
      ...{ plays, admitted, streamOf: (playId, address) => relays.find(playId, address) },
    });
    const keyWatch = startKeyWatch({ store, hub, addresses: windows, log });
    const keysChanged = joinKeyNews({ links, look: keyWatch.look });
    started.push(
      rtmp,
      windows,
      // Behind the pushes: what is still to be made of them has a moment.
      ladders,
      hub,
      // Before the hub: nobody here plays on what it hands to other nodes then.
      relays,
      keyWatch,
      startMediaCollector({
        streamCount: () => hub.streams.length,
        letGoBytes: () => memory.letGoBytes,
      }),
    );
    return {
      rtmpPort: rtmp.port,
      media: admittedMedia(
        {
          '/hls/:playId/:file': (call) => goneBack(call) ?? live(call),
          '/recordings/:id/captions/:file': captionFiles({ store }),
          '/recordings/:id/:file': recordingFiles({
            ...{ store, storage, bucketReaders, now, log, isAllowed },
            waitingMax: bounds.playback.playlistsMax,
            refusals: recordingBook,
          }),
        },
        admissions,
      ),
      admissionChanged: () => admitted.look(),
      pushHere,
      pushOf: joinPushes({ holders, pushHere }),
      pictures: new SharedPictures({ pictures, holders }),
      clips: sharedClips({ clips, holders, log }),
      uploads,
      keptRoom: recordings.keptRoom,
      wakeJobs: () => jobs.wake(),
      liveCount: () => hub.streams.length,
      relayedCount: () => relays.count,
      liveChannels: () => hub.streams.map(({ channel }) => channel.id),
      diskFreeBytes: () => freeBytes(dataDir),
      jobsWaitingMs: () => jobs.waitingMs(),
      pushStanding: (channel) => pushStanding(channel, { hub, holders, reconnectMs }),
      deleted: (channel) => {
        deleted(channel);
        keysChanged();
      },
      keysChanged,
      memoryBytes: () => memory.bytes,
      counts: () => ({
        rtmp: rtmp.counts(),
        jobs: jobs.counts,
        recordingsShed: recordings.shedCount(),
        ladders: { ...ladders.now, ...ladders.counts },
        spool: spool?.state(),
        leases: leases.counts,
        followed: { streams: followers.count, lagMs: followers.lagMs },
        followers: feeds.followerCount + packetFeeds.count,
      }),
      giveBackJobs: () => jobs.stop(),
      handOver: async () => {
        // First, so that an encoder that is sent away does not come back here.
        rtmp.shut();
        const isPushedTo = hub.streams.length > 0;
        await hub.stop();
        windows.answerAll();
        // Whoever takes them asks for what was shown of them here.
        if (isPushedTo) await Bun.sleep(takenWithinMs);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A node that others can reach shares the channels with them; any other has them for itself. */
function startLeases(given: {
  options: RiverOptions;
  monotonicMs: () => number;
  /** It is made after the leases, which it asks. */
  hub: () => Hub;
  windows: LiveWindows;
  /** Another node goes on with the stream. */
  onLost(stream: LiveStream): void;
}) {
  const { options, monotonicMs, hub, windows, onLost } = given;
  const { config, nodes, store, now, log } = options;
  if (config.nodeUrl === '' || store.dialect === 'sqlite') return new SoleLeases();
  return new DatabaseLeases({
    ...{ store, nodes, reconnectMs: config.reconnectMs, now, monotonicMs, log },
    look: (channel_id) => {
      const found = hub().find(channel_id);
      if (!found) return undefined;
      const { lastSequence, discontinuities } = windows.shownAt(found.stream.channel.play_id);
      const state = found.isConnected ? 'live' : 'cut';
      const silent_ms = Math.round(hub().silentMsOf(channel_id) ?? 0);
      return { state, silent_ms, lastSequence, discontinuities };
    },
    onLost: (lease) => {
      const stream = hub().find(lease.channel_id)?.stream;
      if (stream?.lease !== lease) return;
      hub().lost(lease.channel_id);
      onLost(stream);
    },
  });
}

/** Copied when it is taken: its bytes are not looked at where only its being there counts. */
function keyFrameOf(hub: Hub, channel_id: number) {
  const stream = hub.find(channel_id)?.stream;
  if (!stream?.hasKeyFrame) return undefined;
  return {
    account_id: stream.channel.account_id,
    take: () => {
      const frame = stream.keyFrame();
      return frame && { record: frame.track.record, bytes: frame.bytes };
    },
  };
}
