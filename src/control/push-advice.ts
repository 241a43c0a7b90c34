// What is to be changed about a push, by code and numbers; the sentences are in the texts of the pages.
import type { PushNow } from '../stream/live/push-now.ts';
import { targetDurationMs } from '../stream/packaging/segmenter.ts';

/** Each with the numbers of its sentence, the most urgent first. */
interface AdviceNumbers {
  push_away: 'count';
  slower_than_real_time: 'seconds';
  keyframes_far_apart: 'seconds';
  frames_missing: 'fps' | 'said_fps';
  connection_cut: 'count';
  bit_rate_near_bound: 'kbps' | 'kbps_max';
  timestamps_jump: 'count';
  no_picture: never;
  no_sound: never;
}

export type AdviceCode = keyof AdviceNumbers;

/** `{ code: 'keyframes_far_apart', seconds: 8.3 }`. */
export type Advice = {
  [Code in AdviceCode]: { code: Code } & Record<AdviceNumbers[Code], number>;
}[AdviceCode];

/** Held as keys of a record, so that none can be forgotten. */
const codes: Record<AdviceCode, true> = {
  push_away: true,
  slower_than_real_time: true,
  keyframes_far_apart: true,
  frames_missing: true,
  connection_cut: true,
  bit_rate_near_bound: true,
  timestamps_jump: true,
  no_picture: true,
  no_sound: true,
};
export const adviceCodes = Object.keys(codes) as [AdviceCode, ...AdviceCode[]];

/** Players are a second or two behind: what is later than that they notice. */
const lateMsMax = 2_000;
/** Encoders leave out pictures when the line or the machine is too slow; fewer by less is a matter of rounding. */
const framesPartMin = 0.9;
/** From here on a scene with more in it may be cut. */
const kbpsPartMax = 0.8;
/** A careless muxer's few are no trouble. */
const backwardMax = 10;
/** A track that has not come by then is not only late. */
const trackWithinMs = 5_000;

/** `kbpsMax` is the bound of the push's bit rate, `at` the time now. */
export function pushAdvice(push: PushNow, { kbpsMax, at }: { kbpsMax: number; at: number }) {
  const { health, words, isConnected } = push;
  const advice: Advice[] = [];
  const cuts = cutsOf(push);
  if (!isConnected) advice.push({ code: 'push_away', count: cuts });
  if (isConnected && (health.lateMs ?? 0) > lateMsMax)
    advice.push({ code: 'slower_than_real_time', seconds: seconds(health.lateMs ?? 0) });
  if ((health.keyFrameMsMax ?? 0) > targetDurationMs)
    advice.push({ code: 'keyframes_far_apart', seconds: seconds(health.keyFrameMsMax ?? 0) });
  const fps = health.framesPerSecond;
  if (fps !== null && words.frameRate !== undefined && fps < framesPartMin * words.frameRate)
    advice.push({ code: 'frames_missing', fps: tenth(fps), said_fps: tenth(words.frameRate) });
  if (isConnected && cuts > 0) advice.push({ code: 'connection_cut', count: cuts });
  const kbps = Math.round((health.videoKbps ?? 0) + (health.audioKbps ?? 0));
  if (kbps > kbpsPartMax * kbpsMax)
    advice.push({ code: 'bit_rate_near_bound', kbps, kbps_max: kbpsMax });
  if (health.jumps > 0 || health.backward > backwardMax)
    advice.push({ code: 'timestamps_jump', count: health.jumps + health.backward });
  const mayStillCome = !isConnected || at - push.startedAt < trackWithinMs;
  if (!mayStillCome && !push.video) advice.push({ code: 'no_picture' });
  if (!mayStillCome && !push.audio) advice.push({ code: 'no_sound' });
  return advice;
}

/** Times that the push was cut, whether it has come back or not. */
export function cutsOf({ health, isConnected }: PushNow): number {
  return health.returns + (isConnected ? 0 : 1);
}

function seconds(ms: number): number {
  return tenth(ms / 1_000);
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
