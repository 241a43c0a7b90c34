// What `/openapi.json` says of a channel's control room.
import { docs } from '../base/api/route.ts';
import { liveAnswer } from './live-view.ts';

export const liveDocs = {
  getChannelLive: docs({
    summary: 'Get what is on a channel now: the show, viewers, the health of the push, advice',
    note: 'Small, and meant to be asked for every 2 seconds. Viewers are those whose page is there; the report counts what they watched, exactly. Where several services share a database and are linked, each answers alike: of a push it asks the one that has it. Null is what that one does not say within two seconds. `advice` has codes with numbers, for a program to say in its own words: `keyframes_far_apart` (`seconds`), `slower_than_real_time` (`seconds`), `frames_missing` (`fps`, `said_fps`), `connection_cut` and `push_away` (`count`), `bit_rate_near_bound` (`kbps`, `kbps_max`), `timestamps_jump` (`count`), `no_picture`, `no_sound`.',
    answer: liveAnswer,
    example: {
      id: 112,
      on_air: true,
      show: { id: 40, begin: '2026-05-01 19:29:58' },
      viewers: 184,
      peak: 201,
      curve: { step_seconds: 10, viewers: [12, 96, 201, 184] },
      push: {
        since: '2026-05-01 19:29:57',
        connected: true,
        encoder: 'obs-output module (libobs version 30.1.2)',
        video: {
          codec: 'avc1.64001f',
          width: 1280,
          height: 720,
          fps: 30,
          kbps: 2_480,
          key_frame_seconds: 8.3,
          key_frame_seconds_max: 8.3,
        },
        audio: { codec: 'mp4a.40.2', sample_rate: 48_000, channels: 2, kbps: 160 },
        cuts: 0,
        late_seconds: 0.04,
        timestamps: { jumps: 0, backward: 0 },
      },
      advice: [{ code: 'keyframes_far_apart', seconds: 8.3 }],
    },
  }),
};
