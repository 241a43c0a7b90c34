// What this service knows of a channel's push at this moment.
import type { AudioTrack, VideoTrack } from '../formats/packet.ts';
import type { Hub } from './hub.ts';
import type { EncoderWords } from './live-stream.ts';
import type { HealthNow } from './push-health.ts';

export interface PushNow {
  /** Epoch milliseconds. */
  startedAt: number;
  /** False where it was cut and may come back. */
  isConnected: boolean;
  words: EncoderWords;
  /** Undefined where there is none, or none yet. */
  video: VideoTrack | undefined;
  audio: AudioTrack | undefined;
  health: HealthNow;
}

/** Undefined where no push of the channel is here. */
export function pushNow(hub: Hub, channel_id: number): PushNow | undefined {
  const found = hub.find(channel_id);
  if (!found) return undefined;
  const { stream, isConnected } = found;
  return {
    startedAt: stream.startedAt,
    isConnected,
    words: stream.words,
    video: stream.trackOf('video'),
    audio: stream.trackOf('audio'),
    health: stream.health.now(stream.meter.nowAt),
  };
}
