// The media river from end to end: RTMP in, live, packaging, playback, recording and what follows it.
import type { Config } from './config.ts';
import type { Store } from './db/sql.ts';
import { startJobRunner } from './jobs/job-runner.ts';
import type { Log } from './lib/log.ts';
import type { MediaHandler } from './lib/media-answer.ts';
import { ChannelTaken, Hub } from './live/hub.ts';
import { startKeyWatch } from './live/key-watch.ts';
import { type LiveRecord, startLiveRecord } from './live/live-record.ts';
import { channelOfKey } from './live/live-store.ts';
import type { LiveStream } from './live/live-stream.ts';
import { startMediaCollector } from './live/media-collector.ts';
import { readNodeName } from './live/node-name.ts';
import { Segmenter } from './packaging/segmenter.ts';
import { liveFiles } from './playback/live-files.ts';
import { LiveWindows } from './playback/live-windows.ts';
import { recordingFiles } from './playback/recording-files.ts';
import { RtmpPlays } from './playback/rtmp-play.ts';
import { recordingJobs } from './recording/recording-jobs.ts';
import { type Recordings, startRecordings } from './recording/recordings.ts';
import { Refused } from './rtmp/publication.ts';
import { type RtmpServer, startRtmpServer } from './rtmp/rtmp-server.ts';

export interface River {
  rtmpPort: number;
  /** What the HTTP server answers under its paths. */
  media: Record<string, MediaHandler>;
  liveCount(): number;
  /** Ends every push; resolves when their recordings are videos. */
  stop(): Promise<void>;
}

interface Given {
  config: Config;
  store: Store;
  now: () => number;
  log: Log;
}

export async function startRiver(given: Given): Promise<River> {
  const { config, store, now, log } = given;
  const { dataDir, zone } = config;
  const started: { stop(): Promise<void> | void }[] = [];
  const stop = async () => {
    for (const part of started.toReversed()) {
      // What does not stop well must not keep the others from it.
      await (async () => await part.stop())().catch((error) =>
        log.error('a part of the river did not stop', { error }),
      );
    }
  };
  try {
    const node = await readNodeName(dataDir);
    const freeBytesMin = config.freeDiskBytesMin;
    const work = recordingJobs({ store, dataDir, freeBytesMin });
    const jobs = startJobRunner({ store, nodeId: node, now, log, ...work });
    started.push(jobs);
    const recordings = await startRecordings({
      dataDir,
      node,
      store,
      zone,
      now,
      log,
      maxHours: config.recordingMaxHours,
      freeBytesMin,
      retentionDays: config.videoRetentionDays,
      onVideo: () => jobs.wake(),
    });
    started.push(recordings);
    const record = await startLiveRecord({ store, node, now, log });
    started.push(record);
    const windows = new LiveWindows();
    const openReader = packager({ windows, recordings, record, now, log });
    // Asked for every packet, and compared on this thread alone.
    const monotonicMs = () => performance.now();
    const hub = new Hub({ reconnectMs: config.reconnectMs, now, monotonicMs, openReader, log });
    const rtmp = listen(given, hub);
    started.push(
      rtmp,
      windows,
      hub,
      startKeyWatch({ store, hub, log }),
      startMediaCollector(() => hub.streams.length),
    );
    return {
      rtmpPort: rtmp.port,
      media: {
        '/hls/:playId/:file': liveFiles((playId) => windows.find(playId)),
        '/recordings/:id/:file': recordingFiles({ sql: store, dataDir, log }),
      },
      liveCount: () => hub.streams.length,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What follows each stream from its first packet: the live window, the recording, and word that it is live. */
function packager(parts: {
  windows: LiveWindows;
  recordings: Recordings;
  record: LiveRecord;
  now: () => number;
  log: Log;
}) {
  const { windows, recordings, record, now, log } = parts;
  return (stream: LiveStream): Segmenter => {
    const { channel } = stream;
    const recorder = recordings.open(channel);
    const segmenter = new Segmenter({
      now,
      firstSequence: windows.nextSequence(channel.play_id, now()),
      readers: [
        windows.open(channel.play_id, () => segmenter.partTargetMs),
        ...(recorder ? [recorder] : []),
        // Live from the first part that can be played.
        {
          partAdded: () => record.started(stream),
          segmentEnded: () => {},
          ended: () => record.ended(stream),
        },
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

function listen({ config, store, now, log }: Given, hub: Hub): RtmpServer {
  const { host, rtmpPort } = config;
  const plays = new RtmpPlays();
  try {
    return startRtmpServer({
      host,
      port: rtmpPort,
      now,
      log,
      limits: { connectionsPerAddressMax: config.rtmpConnectionsPerAddress },
      openPublication: async ({ key, abort }) => {
        const channel = await channelOfKey(store, key);
        if (!channel) throw new Refused('No channel has this publish key');
        try {
          return hub.publish(channel, abort);
        } catch (error) {
          if (error instanceof ChannelTaken) throw new Refused(error.message, { isGuess: false });
          throw error;
        }
      },
      openPlay: async ({ playId }, player) => {
        const stream = hub.streams.find(({ channel }) => channel.play_id === playId);
        if (!stream) throw new Refused('No live channel has this play address');
        return plays.play(stream, player);
      },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `port ${rtmpPort} is in use: stop the program that has it, or choose another with RTMP_PORT`,
      { cause: error },
    );
  }
}
