// What follows each stream from its first packet: the live window, its smaller sizes, the recording, and word that it is live.
import type { Presence } from './audience/presence/presence.ts';
import type { Log } from './base/lib/log.ts';
import { rungStream } from './stream/following/followed-media.ts';
import type { StreamFeeds } from './stream/following/stream-feeds.ts';
import type { Ladder } from './stream/ladder/ladder.ts';
import { type RungName, recordedAs, rungNames } from './stream/ladder/ladder-rungs.ts';
import type { Ladders } from './stream/ladder/ladders.ts';
import type { LiveRecord } from './stream/live/live-record.ts';
import type { EncoderWords, LiveStream } from './stream/live/live-stream.ts';
import type { Lease } from './stream/live/push-lease.ts';
import { Show } from './stream/live/show.ts';
import { readAnchors } from './stream/live/show-store.ts';
import { Segmenter } from './stream/packaging/segmenter.ts';
import { LiveLadder } from './stream/playback/live-ladder.ts';
import type { LiveWindow } from './stream/playback/live-window.ts';
import type { LiveWindows } from './stream/playback/live-windows.ts';
import { RecordedRung } from './stream/recording/recorded-rung.ts';
import type { Recordings } from './stream/recording/recordings.ts';
import type { WrittenSizes } from './stream/recording/written-sizes.ts';

/** Told what happens on a channel, as it happens. It must not throw, nor take long: media waits for nobody. */
export type Audience = Pick<
  Presence,
  'live' | 'showWritten' | 'moved' | 'wasLive' | 'videoMade' | 'directPlayers'
>;

export function packager(parts: {
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
