// The sample channel that /openapi.json and /docs show.
import type { Caller } from '../../base/api/caller.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelViews } from './channel.ts';
import type { PageFields } from './page.ts';

export function channelExample(zone: Zone, page: PageFields) {
  const views = channelViews({ zone, page, rtmpUrl: () => 'rtmp://live.example.com:1935' });
  const row = {
    id: 1024,
    account_id: 1,
    manager_id: 7,
    manager_username: 'anna',
    name: 'Spring launch',
    page: JSON.stringify({
      start_time: Date.UTC(2026, 4, 1, 19, 30),
      pc_logo: 'https://cdn.example.com/logo.png',
      footer: '© 2026 Example Ltd.',
    }),
    stream_key: '2mXb7Qk0sJcV9hTzR4yLwN1aPfUg',
    play_id: '4Zr8bK2nQxW6cYt1VdHs9E',
    live: 0,
    last_push_stream_at: Date.UTC(2026, 3, 20, 8, 15, 2),
    created_at: Date.UTC(2026, 3, 2, 9, 0, 41),
  };
  const caller: Caller = {
    account_id: 1,
    manager_id: 0,
    plan: 'traffic',
    auto_save_live_video: true,
  };
  const call = { caller, baseUrl: 'https://live.example.com' };
  return {
    brief: views.brief(row, call),
    whole: views.whole(row, call),
    listed: views.listed(row, call),
  };
}
