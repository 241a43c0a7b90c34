// What RTMP players are told of a stream before its media: ffmpeg, VLC and OBS show it, and know what to wait for.
import { type AmfObject, ecmaArray, writeAmf } from '../formats/amf.ts';
import { aacId, h264Id } from '../formats/flv.ts';
import type { Track } from '../formats/packet.ts';
import type { EncoderWords } from '../live/live-stream.ts';
import type { PlayerMessage } from '../rtmp/player-batch.ts';

/** By the tracks where they tell, by the encoder's words where they do not; no duration, as live has none. */
export function metadataMessage(given: {
  tracks: Iterable<Track>;
  words: EncoderWords;
  timestamp: number;
}): PlayerMessage {
  const { tracks, words, timestamp } = given;
  const values: AmfObject = {};
  for (const track of tracks) Object.assign(values, factsOf(track, words));
  const body = writeAmf('onMetaData', ecmaArray(values));
  return { kind: 'data', timestamp, head: new Uint8Array(0), body };
}

function factsOf(track: Track, { frameRate, videoKbps, audioKbps }: EncoderWords): AmfObject {
  if (track.kind === 'audio') {
    const { sampleRate: audiosamplerate, channels } = track;
    const facts = { audiocodecid: aacId, audiosamplerate, stereo: channels === 2 };
    return { ...facts, ...known({ audiodatarate: audioKbps }) };
  }
  const { width, height } = track;
  const rates = known({ framerate: frameRate, videodatarate: videoKbps });
  return { videocodecid: h264Id, width, height, ...rates };
}

function known(rates: Record<string, number | undefined>): AmfObject {
  return Object.fromEntries(Object.entries(rates).filter(([, rate]) => rate !== undefined));
}
