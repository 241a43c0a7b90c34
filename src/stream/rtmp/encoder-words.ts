// What an encoder says of its stream in `onMetaData`: the little that players want to know and the media does not show.
import type { Lent } from '../../base/bytes/memory.ts';
import { visibleText } from '../../base/lib/visible-text.ts';
import { AmfError, type AmfValue, readAmf } from '../formats/amf.ts';
import type { EncoderWords } from '../live/live-stream.ts';
import { amf0In, type Message } from './message.ts';
import { isObject, textOf } from './rtmp-command.ts';

/** A larger number is no rate, but a mistake or a joke. */
const frameRateMax = 1_000;
const kbpsMax = 1_000_000;
/** OBS on Debian takes 49. */
const nameCharactersMax = 80;

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
    encoder: encoderName(metadata['encoder'] ?? null),
  };
}

/** What an encoder calls itself, as people can read it; undefined where it says nothing. */
export function encoderName(value: AmfValue): string | undefined {
  const name = visibleText(textOf(value).slice(0, 2 * nameCharactersMax));
  return name === '' ? undefined : [...name].slice(0, nameCharactersMax).join('');
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
