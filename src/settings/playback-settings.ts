// Settings of how many who play over HTTP may wait.
import { type PlaybackBounds, playbackBounds } from '../stream/playback/playback-limits.ts';
import { type SettingsOf, whole } from './setting.ts';

export const playbackSettings: SettingsOf<PlaybackBounds> = {
  waitersMax: {
    variable: 'HLS_PLAYERS_WAITING',
    default: String(playbackBounds.waitersMax),
    sentence:
      'Players of one stream that may wait for its next part; one network may have half of what the others leave. Beyond it they get what there is.',
    read: whole(1, 1_000_000),
  },
  playlistsMax: {
    variable: 'RECORDING_PLAYLISTS_WAITING',
    default: String(playbackBounds.playlistsMax),
    sentence:
      'Playlists of recordings that may wait to be made, shared in the same way. Beyond it they are answered 503.',
    read: whole(1, 100_000),
  },
};
