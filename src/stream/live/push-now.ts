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
  video: ShownVideo | undefined;
  audio: ShownAudio | undefined;
  health: HealthNow;
}

type ShownVideo = Pick<VideoTrack, 'codec' | 'width' | 'height'>;
type ShownAudio = Pick<AudioTrack, 'codec' | 'sampleRate' | 'channels'>;

/** Undefined where no push of the channel is here. */
export function pushNow(hub: Hub, channel_id: number): PushNow | undefined {
  const found = hub.find(channel_id);
  if (!found) return undefined;
  const { stream, isConnected } = found;
  const video = stream.trackOf('video');
  const audio = stream.trackOf('audio');
  return {
    startedAt: stream.startedAt,
    isConnected,
    words: stream.words,
    video: video && shownVideo(video),
    audio: audio && shownAudio(audio),
    health: stream.health.now(stream.meter.nowAt),
  };
}

function shownVideo({ codec, width, height }: VideoTrack): ShownVideo {
  return { codec, width, height };
}

function shownAudio({ codec, sampleRate, channels }: AudioTrack): ShownAudio {
  return { codec, sampleRate, channels };
}
