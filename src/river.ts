// The media river from end to end: RTMP in, live, packaging, playback, recording and what follows it.
import type { DirectPlayers } from './audience/players/direct-players.ts';
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
import { type JobCounts, startJobRunner } from './library/jobs/job-runner.ts';
import { type RtmpCounts, startRtmpEdge, streamAt } from './rtmp-edge.ts';
import { bucketOptions } from './settings/bucket-settings.ts';
import { type Clips, startClips } from './stream/clips/clips.ts';
import { sharedClips } from './stream/clips/shared-clips.ts';
import { mediaTopic, rungStream } from './stream/following/followed-media.ts';
import { Followers } from './stream/following/followers.ts';
import { HeldShows } from './stream/following/held-shows.ts';
import { PacketFeeds } from './stream/following/packet-feeds.ts';
import { packetsTopic } from './stream/following/relayed-packets.ts';
import { Relays } from './stream/following/relays.ts';
import { StreamFeeds } from './stream/following/stream-feeds.ts';
import { StreamPlaces } from './stream/following/stream-places.ts';
import type { Ladder, LadderCounts } from './stream/ladder/ladder.ts';
import { type RungName, recordedAs, rungNames } from './stream/ladder/ladder-rungs.ts';
import { Ladders } from './stream/ladder/ladders.ts';
import { DatabaseLeases } from './stream/live/database-leases.ts';
import { channelDeleted, Hub } from './stream/live/hub.ts';
import { joinKeyNews } from './stream/live/key-news.ts';
import { startKeyWatch } from './stream/live/key-watch.ts';
import { type LiveRecord, startLiveRecord } from './stream/live/live-record.ts';
import type { EncoderWords, LiveStream } from './stream/live/live-stream.ts';
import { startLostPushes } from './stream/live/lost-pushes.ts';
import { startMediaCollector } from './stream/live/media-collector.ts';
import { joinPushes } from './stream/live/push-asked.ts';
import { type HeldChannel, PushHolders } from './stream/live/push-holders.ts';
import { type Lease, type LeaseCounts, SoleLeases } from './stream/live/push-lease.ts';
import { pushRates } from './stream/live/push-limits.ts';
import { PushesMemory } from './stream/live/push-memory.ts';
import { PushMeters } from './stream/live/push-meter.ts';
import { type PushNow, pushNow } from './stream/live/push-now.ts';
import { PushPace } from './stream/live/push-pace.ts';
import { pushRefusals } from './stream/live/push-refusals.ts';
import { type PushStanding, pushStanding } from './stream/live/push-standing.ts';
import { Show } from './stream/live/show.ts';
import { readAnchors } from './stream/live/show-store.ts';
import { Segmenter } from './stream/packaging/segmenter.ts';
import { PictureProcess } from './stream/pictures/picture-process.ts';
import { SharedPictures } from './stream/pictures/shared-pictures.ts';
import { StreamPictures } from './stream/pictures/stream-pictures.ts';
import { admittedMedia } from './stream/playback/admitted-media.ts';
import { AdmittedPlayers } from './stream/playback/admitted-players.ts';
import { BucketReaders } from './stream/playback/bucket-readers.ts';
import { liveFiles } from './stream/playback/live-files.ts';
import { LiveLadder } from './stream/playback/live-ladder.ts';
import type { LiveWindow } from './stream/playback/live-window.ts';
import { LiveWindows } from './stream/playback/live-windows.ts';
import { playbackLimits } from './stream/playback/playback-limits.ts';
import { recordingRefusals } from './stream/playback/playback-refusals.ts';
import { recordingFiles } from './stream/playback/recording-files.ts';
import { RtmpPlays } from './stream/playback/rtmp-play.ts';
import { showListFiles } from './stream/playback/show-list-files.ts';
import { ShowLists } from './stream/playback/show-lists.ts';
import { ShowSources } from './stream/playback/show-sources.ts';
import { openBucketSide } from './stream/recording/bucket-side.ts';
import type { BucketSpool } from './stream/recording/bucket-spool.ts';
import { freeBytes } from './stream/recording/disk-room.ts';
import { jobRefusals } from './stream/recording/job-refusals.ts';
import type { MadeVideo } from './stream/recording/make-video.ts';
import { namedBefore } from './stream/recording/named-source.ts';
import { NodeRecordings } from './stream/recording/node-recordings.ts';
import { RecordedRung } from './stream/recording/recorded-rung.ts';
import { removeFolder } from './stream/recording/recording-folder.ts';
import { recordingJobs, scratchFolder } from './stream/recording/recording-jobs.ts';
import { recordingStorage } from './stream/recording/recording-storage.ts';
import { hasBucketRecordings } from './stream/recording/recording-store.ts';
import { type Recordings, startRecordings } from './stream/recording/recordings.ts';
import { SharedRecordings } from './stream/recording/shared-recordings.ts';
import { isTranscoderInstalled } from './stream/recording/worker/transcoder.ts';
import { WrittenSizes } from './stream/recording/written-sizes.ts';
import { NodeUploads } from './stream/uploads/node-uploads.ts';
import { startUploads } from './stream/uploads/uploads.ts';

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

/** Told what happens on a channel, as it happens. It must not throw, nor take long: media waits for nobody. */
export interface Audience {
  /** The show that is on, or none any more. */
  live(channel_id: number, show: Show | undefined): void;
  /** What the rows say of its show has changed. */
  showWritten(channel_id: number): void;
  /** The show goes on on another node. */
  moved(channel_id: number): void;
  /** A show that this service had on when it was killed, and when that was at the latest. */
  wasLive(channel_id: number, show: Show, endAt: number): void;
  /** The recording of a show that is over, or of a part of it. */
  videoMade(channel_id: number, video_id: number): void;
  /** Undefined where they are not counted. */
  directPlayers: DirectPlayers | undefined;
}

const hourMs = 3_600_000;
/** A stop does not wait longer for the bucket: the next start goes on. */
const namedWithinMs = 4_000;
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
  const { dataDir, zone, bounds } = config;
  const started: { stop(): Promise<void> | void }[] = [];
  const stop = async () => {
    for (const part of started.toReversed()) {
      // A part that fails to stop must not keep the others from it.
      await (async () => await part.stop())().catch((error) =>
        log.error('a part of the river did not stop', { error }),
      );
    }
  };
  try {
    const freeBytesMin = config.freeDiskBytesMin;
    const holders = new PushHolders({ store, links });
    const bucketSettings = bucketOptions(config);
    const bucketSide =
      bucketSettings &&
      (await openBucketSide({
        options: bucketSettings,
        redirects: config.s3Redirect,
        dataDir,
        node,
        store,
        freeBytesMin,
        hasDiskRoom: () => recordings.hasDiskRoom(),
        onCarried: () => shared?.look(),
        now,
        log,
      }));
    const spool = bucketSide?.spool;
    // Where other nodes could go on with a push, its recording is all nodes' own.
    const isShared = bucketSide !== undefined && config.nodeUrl !== '';
    const bucket = bucketSide?.bucket;
    const storage = recordingStorage({
      dataDir,
      bucket: bucketSide?.recordings,
      others: links.isAlone
        ? undefined
        : { node, recordings: new NodeRecordings({ links, dataDir }) },
    });
    await removeFolder(scratchFolder(dataDir));
    if (!bucketSide && (await hasBucketRecordings(store)))
      log.warn('recordings lie in S3, and S3_URL is not set: they cannot be watched');
    const written = new WrittenSizes();
    const work = recordingJobs({
      store,
      dataDir,
      freeBytesMin,
      memoryBytesMax: config.jobMemoryBytes,
      refusals: peers.refusals.book('job', jobRefusals),
      storage,
      written,
      bucket,
    });
    const jobs = startJobRunner({
      ...{ store, nodeId: node, readsBucket: bucket !== undefined, now, log },
      ...work,
    });
    started.push(jobs);
    const refusals = peers.refusals.book('push', pushRefusals);
    const onVideo = ({ channel_id, video_id, isOfPush }: MadeVideo) => {
      jobs.wake();
      spool?.wake();
      // Of what somebody asked for beside the show no page is told: it is not the show's recording.
      if (isOfPush) audience.videoMade(channel_id, video_id);
    };
    const shared =
      bucketSide && isShared
        ? new SharedRecordings({
            ...{ dataDir, store, bucket: bucketSide.bucket, nodes, links, zone, now, log, onVideo },
            monotonicMs: () => performance.now(),
          })
        : undefined;
    if (shared) started.push(shared);
    const recordings = await startRecordings({
      dataDir,
      node,
      store,
      zone,
      now,
      log,
      maxHours: config.recordingMaxHours,
      freeBytesMin,
      accountBytesMax: config.accountDiskBytes,
      refusals,
      retentionDays: config.videoRetentionDays,
      bucket,
      ...(spool && {
        isSpool: true,
        onSegment: (of) => spool.grown(of),
        onDropped: (recording) => spool.dropped(recording),
        ...(isShared && { onStint: (left) => spool.leave(left) }),
      }),
      onVideo,
    });
    started.push(recordings);
    if (bucketSide) {
      await bucketSide.start();
      started.push(bucketSide, {
        // What other nodes go on with is all named before this one goes, if that can be done soon.
        stop: async () => {
          await recordings.handedOver();
          await bucketSide.spool.settled(namedWithinMs);
        },
      });
    }
    const beforeStint = bucketSide && namedBefore({ store, bucket: bucketSide.recordings });
    const clips = await startClips({
      ...{ dataDir, node, store, zone, freeBytesMin, storage, recordings, holders, now },
      beforeStint,
    });
    const uploadsHere = await startUploads({
      dataDir,
      node,
      store,
      freeBytesMin,
      sizeMax: config.uploadBytesMax,
      keptMs: config.uploadHours * hourMs,
      memoryBytesMax: config.jobMemoryBytes,
      recordings,
      ...(!links.isAlone && { silentMs: (other) => nodes.silentMs(other) }),
      now,
      log,
    });
    started.push(uploadsHere);
    const uploads = new NodeUploads({ here: uploadsHere, links, node, now });
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

/** What follows each stream from its first packet: the live window, the recording, and word that it is live. */
function packager(parts: {
  windows: LiveWindows;
  feeds: StreamFeeds;
  ladders: Ladders;
  /** The stream is this node's own from now on. */
  own(stream: LiveStream): void;
  renewLease(lease: Lease): void;
  recordings: Recordings;
  written: WrittenSizes;
  record: LiveRecord;
  audience: Audience;
  now: () => number;
  log: Log;
}) {
  const { windows, feeds, ladders, own, renewLease, recordings, written, record } = parts;
  const { audience, now, log } = parts;
  return (stream: LiveStream): Segmenter => {
    const { channel, meter } = stream;
    own(stream);
    // What is shown from now on is another show, or this node's share of one that another had.
    recordings.shows.forget(channel.play_id);
    const { epoch, before } = stream.lease;
    const openWindow = (before ? windows.goOn : windows.open).bind(windows);
    let show = goingOn(stream.lease);
    if (show) {
      record.goesOn(stream, show);
      audience.live(channel.id, show);
    }
    const recorder = recordings.open(channel, {
      showAt: () => show?.begin ?? now(),
      memory: meter.memory,
      lease: stream.lease,
    });
    const partTargetMs = () => segmenter.partTargetMs;
    const firstSequence = windows.nextSequence(channel.play_id, {
      now: now(),
      lease: stream.lease,
    });
    const window = openWindow(channel.play_id, partTargetMs, {
      memory: meter.memory,
      discontinuities: before?.discontinuities,
      firstSequence,
    });
    const ladder = beginLadder(stream, {
      ...{ ladders, windows, feeds, window, partTargetMs, recordings, written },
    });
    // Before anything has its first number: nobody else may have that, whatever becomes of this.
    renewLease(stream.lease);
    const segmenter: Segmenter = new Segmenter({
      now,
      meter,
      firstSequence,
      epoch,
      goesOn: before !== undefined,
      readers: [
        window,
        feeds.open(channel.play_id, { window, partTargetMs, ladder: () => ladder?.listing }),
        // Live from the first part that can be played.
        {
          partAdded: ({ parts, startsAt }, { durationMs }) => {
            // Whoever takes it over must know how far its numbers have come.
            if (parts.length === 1) renewLease(stream.lease);
            const isFirst = !show;
            show ??= new Show(now());
            const isGap = show.add(durationMs, parts.length === 1 ? startsAt : undefined);
            if (isFirst) {
              record.started(stream, show);
              audience.live(channel.id, show);
            } else if (isGap) record.changed(stream, show);
          },
          segmentEnded: () => {},
          ended: (how) => {
            if (!show) return;
            if (how === 'taken') {
              recordings.shows.forget(channel.play_id);
              record.taken(stream, show);
              audience.moved(channel.id);
            } else {
              record.ended(stream, show);
              audience.live(channel.id, undefined);
            }
          },
        },
        // Behind it: a recording notes of which show it is.
        ...(recorder ? [recorder] : []),
        // And behind that: what it makes lies beside the recording.
        ...(ladder ? [ladder] : []),
      ],
      onLongGop: (ms) =>
        log.warn('key frames are far apart, so viewers wait: set the encoder to one every 2 s', {
          channel_id: channel.id,
          ms,
        }),
    });
    return segmenter;
  };
}

/** The smaller sizes of a stream, where its account wants them: a window for each, which other nodes may follow. */
function beginLadder(
  stream: LiveStream,
  given: {
    ladders: Ladders;
    windows: LiveWindows;
    feeds: StreamFeeds;
    window: LiveWindow;
    partTargetMs(): number;
    recordings: Recordings;
    written: WrittenSizes;
  },
): Ladder | undefined {
  const { ladders, windows, feeds, window: source, partTargetMs, recordings, written } = given;
  const { channel, meter } = stream;
  const { memory } = meter;
  const before = source.ladder;
  before?.stop();
  const recorded = (rung: RungName) =>
    new RecordedRung({
      name: recordedAs[rung],
      growing: () => recordings.growing(channel.id),
      counts: (one) => recordings.counts(channel.account_id, one),
      ...{ written, memory },
    });
  const ladder = ladders.begin(stream, (name) => {
    const onBegun = () => sizes?.begun(name);
    const window = windows.rungOf(source, { name, partTargetMs, memory, onBegun });
    sizes?.add(name, window);
    const feed = feeds.open(rungStream(channel.play_id, name), { window, partTargetMs });
    return [window, feed, recorded(name)];
  });
  const saidBits = () => saidBitsOf(stream.words);
  const sizes =
    ladder &&
    new LiveLadder({ source, listing: () => ladder.listing, saidBits, stop: () => ladder.stop() });
  // Where another node has made them until now they go on.
  for (const name of sizes ? rungNames : []) {
    const known = before?.window(name);
    if (known && !known.isEmpty) sizes?.add(name, known);
  }
  if (!sizes) before?.close();
  source.ladder = sizes;
  return ladder;
}

function saidBitsOf({ videoKbps, audioKbps = 0 }: EncoderWords): number | undefined {
  return videoKbps && 1_000 * (videoKbps + audioKbps);
}

/** The show of a push that another node had, as far as that had come. */
function goingOn({ before }: Lease): Show | undefined {
  if (!before?.show) return undefined;
  const { begin_at, anchors } = before.show;
  return Show.until(before.mediaAt, begin_at, readAnchors(anchors));
}
