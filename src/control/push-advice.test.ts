// What a host is told to change, and that a healthy push is told nothing.
import { expect, test } from 'bun:test';
import { audioTrack, videoTrack } from '../../test/fixtures/media/synthetic.ts';
import { nothingSaid } from '../stream/live/live-stream.ts';
import type { PushNow } from '../stream/live/push-now.ts';
import { type Advice, pushAdvice } from './push-advice.ts';

const at = Date.UTC(2026, 4, 4, 12);
const healthy = {
  videoKbps: 2_500,
  audioKbps: 160,
  framesPerSecond: 30,
  keyFrameMs: 2_000,
  keyFrameMsMax: 2_000,
  lateMs: 60,
  jumps: 0,
  backward: 0,
  returns: 0,
};
const push: PushNow = {
  startedAt: at - 60_000,
  isConnected: true,
  words: { ...nothingSaid, frameRate: 30 },
  video: videoTrack,
  audio: audioTrack,
  health: healthy,
};

test.each<[string, Partial<PushNow>, Advice[]]>([
  ['that is healthy', {}, []],
  ['that has just begun', { startedAt: at - 1_000, video: undefined, audio: undefined }, []],
  [
    'with key frames far apart',
    { health: { ...healthy, keyFrameMsMax: 8_333 } },
    [{ code: 'keyframes_far_apart', seconds: 8.3 }],
  ],
  [
    'that comes late',
    { health: { ...healthy, lateMs: 4_200 } },
    [{ code: 'slower_than_real_time', seconds: 4.2 }],
  ],
  [
    'that leaves pictures out',
    { health: { ...healthy, framesPerSecond: 21.26 } },
    [{ code: 'frames_missing', fps: 21.3, said_fps: 30 }],
  ],
  ['of which nothing is known', { health: { ...healthy, framesPerSecond: null } }, []],
  [
    'near its bound',
    { health: { ...healthy, videoKbps: 33_000 } },
    [{ code: 'bit_rate_near_bound', kbps: 33_160, kbps_max: 40_000 }],
  ],
  [
    'that was cut twice',
    { health: { ...healthy, returns: 2 } },
    [{ code: 'connection_cut', count: 2 }],
  ],
  [
    'that is cut',
    { isConnected: false, health: { ...healthy, lateMs: 9_000, returns: 2 } },
    [{ code: 'push_away', count: 3 }],
  ],
  [
    'whose clock jumps',
    { health: { ...healthy, jumps: 2, backward: 1 } },
    [{ code: 'timestamps_jump', count: 3 }],
  ],
  ['of a careless muxer', { health: { ...healthy, backward: 3 } }, []],
  ['without sound', { audio: undefined }, [{ code: 'no_sound' }]],
  ['without a picture', { video: undefined }, [{ code: 'no_picture' }]],
])('a push %s', (_name, changed, advice) => {
  expect(pushAdvice({ ...push, ...changed }, { kbpsMax: 40_000, at })).toEqual(advice);
});
