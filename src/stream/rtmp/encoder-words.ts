// What an encoder says of its stream in `onMetaData`: the little that players want to know and the media does not show.
import type { Lent } from '../../base/bytes/memory.ts';
import { AmfError, type AmfValue, readAmf } from '../formats/amf.ts';
import type { EncoderWords } from '../live/live-stream.ts';
import { amf0In, type Message } from './message.ts';
import { isObject } from './rtmp-command.ts';

/** A larger number is no rate, but a mistake or a joke. */
const frameRateMax = 1_000;
const kbpsMax = 1_000_000;

/** Undefined where the message is about something else, or makes no sense: nobody needs it to play the stream. */
export function encoderWords(message: Message): EncoderWords | undefined {
  const values = valuesIn(amf0In(message));
  // OBS and ffmpeg ask so that it is kept for those who come later, which we do anyway.
  const [name, metadata = null] = values[0] === '@setDataFrame' ? values.slice(1) : values;
  if (name !== 'onMetaData' || !isObject(metadata)) return undefined;
  return {
    frameRate: rateOf(metadata['framerate'], frameRateMax),
    videoKbps: rateOf(metadata['videodatarate'], kbpsMax),
    audioKbps: rateOf(metadata['audiodatarate'], kbpsMax),
  };
}

function valuesIn(bytes: Lent): AmfValue[] {
  try {
    return readAmf(bytes);
  } catch (error) {
    if (error instanceof AmfError) return [];
    throw error;
  }
}

function rateOf(value: AmfValue, max: number): number | undefined {
  return typeof value === 'number' && value > 0 && value <= max ? value : undefined;
}
