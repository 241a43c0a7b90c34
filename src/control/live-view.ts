// What the control room shows of a channel now: the show, who watches, how the push does, what to change.
import * as z from 'zod';
import type { NotedCurve } from '../audience/nodes/shared-curves.ts';
import type { RoomNow } from '../audience/presence/presence.ts';
import type { Zone } from '../base/lib/time.ts';
import type { ChannelRow } from '../library/channels/channel-store.ts';
import type { PushNow } from '../stream/live/push-now.ts';
import type { ShowOn } from '../stream/live/show-store.ts';
import { type Advice, adviceCodes, cutsOf, pushAdvice } from './push-advice.ts';

const rate = (description: string) => z.number().nullable().meta({ description });
const count = (description: string) => z.int().meta({ description });
const text = (description: string) => z.string().meta({ description });
const number = (description: string) => z.number().optional().meta({ description });

const videoAnswer = z.object({
  codec: text('as RFC 6381 writes it'),
  width: count('pixels'),
  height: count('pixels'),
  fps: rate('pictures a second'),
  kbps: rate('kilobits a second'),
  key_frame_seconds: rate('between the last two key frames'),
  key_frame_seconds_max: rate('the longest of the last minute'),
});

const audioAnswer = z.object({
  codec: text('as RFC 6381 writes it'),
  sample_rate: count('samples a second'),
  channels: count('1 = mono, 2 = stereo'),
  kbps: rate('kilobits a second'),
});

const pushAnswer = z.object({
  since: text('when it began'),
  connected: z.boolean().meta({ description: 'false while it is cut and may come back' }),
  encoder: text('what the encoder calls itself; empty where it does not say'),
  video: videoAnswer.nullable(),
  audio: audioAnswer.nullable(),
  cuts: count('times that it was cut'),
  late_seconds: rate('how much later media comes than the soonest of the last minute'),
  timestamps: z.object({
    jumps: count("times that the encoder's clock has jumped"),
    backward: count('packets whose time is before that of the last one'),
  }),
});

const adviceAnswer = z.object({
  code: z.enum(adviceCodes).meta({ description: 'what there is to say' }),
  seconds: number('how far apart, or how late'),
  fps: number('pictures a second that come'),
  said_fps: number('pictures a second that the encoder says it sends'),
  kbps: number('what comes'),
  kbps_max: number('what may come'),
  count: number('how often'),
});

export const liveAnswer = z
  .object({
    id: count('channel id'),
    on_air: z.boolean().meta({ description: 'whether viewers can play it' }),
    show: z
      .object({ id: count('show id'), begin: text('when its first part could be played') })
      .nullable()
      .meta({ description: 'the one that is on, as in its report' }),
    viewers: z.int().nullable().meta({ description: 'viewers now' }),
    peak: z.int().nullable().meta({ description: 'most viewers at once in this show so far' }),
    curve: z
      .object({
        step_seconds: count('how long a step is: 10, and longer as the show becomes longer'),
        viewers: z
          .array(z.int())
          .meta({ description: 'most viewers at once in each step, 720 of them at most' }),
      })
      .nullable()
      .meta({ description: 'from the beginning of the show' }),
    push: pushAnswer.nullable().meta({
      description: 'null where there is none, or the service that has it cannot be asked',
    }),
    advice: z.array(adviceAnswer).meta({ description: 'what to change, the most urgent first' }),
  })
  .meta({ title: 'ChannelLive' });

export function liveView(given: {
  channel: ChannelRow;
  show: ShowOn | undefined;
  room: RoomNow;
  curve: NotedCurve | undefined;
  push: PushNow | undefined;
  kbpsMax: number;
  zone: Zone;
  at: number;
}): z.output<typeof liveAnswer> {
  const { channel, show, room, curve, push, kbpsMax, zone, at } = given;
  const onAir = room.isLive || channel.live === 1;
  const advice: Advice[] = push ? pushAdvice(push, { kbpsMax, at }) : [];
  return {
    id: channel.id,
    on_air: onAir,
    show: show ? { id: show.id, begin: zone.dateTime(show.begin_at) } : null,
    viewers: viewersOf(channel, room),
    peak: curve?.peak ?? null,
    curve: curve
      ? { viewers: [...curve.steps], step_seconds: Math.round(curve.stepMs / 1_000) }
      : null,
    push: push ? pushView(push, zone) : null,
    advice,
  };
}

/** Null where another node has the push and does not say: its viewers may all be there. */
export function viewersOf({ live }: Pick<ChannelRow, 'live'>, room: RoomNow): number | null {
  const isElsewhere = live === 1 && !room.isLive;
  return room.viewers ?? (isElsewhere ? null : 0);
}

function pushView(push: PushNow, zone: Zone): z.output<typeof pushAnswer> {
  const { video, audio, health, words, startedAt, isConnected } = push;
  return {
    since: zone.dateTime(startedAt),
    connected: isConnected,
    encoder: words.encoder ?? '',
    video: video
      ? {
          codec: video.codec,
          width: video.width,
          height: video.height,
          fps: rounded(health.framesPerSecond, 100),
          kbps: rounded(health.videoKbps, 1),
          key_frame_seconds: seconds(health.keyFrameMs),
          key_frame_seconds_max: seconds(health.keyFrameMsMax),
        }
      : null,
    audio: audio
      ? {
          codec: audio.codec,
          sample_rate: audio.sampleRate,
          channels: audio.channels,
          kbps: rounded(health.audioKbps, 1),
        }
      : null,
    cuts: cutsOf(push),
    late_seconds: isConnected ? seconds(health.lateMs) : null,
    timestamps: { jumps: health.jumps, backward: health.backward },
  };
}

function seconds(ms: number | null): number | null {
  return rounded(ms === null ? null : ms / 1_000, 100);
}

/** To so many parts of one. */
function rounded(value: number | null, parts: number): number | null {
  return value === null ? null : Math.round(value * parts) / parts;
}
