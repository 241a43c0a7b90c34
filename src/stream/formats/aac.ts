// AAC: what an AudioSpecificConfig tells of a track (ISO 14496-3 1.6.2.1).
import { keep, type Lent } from '../../base/bytes/memory.ts';
import { BitReader } from './bits.ts';
import { type AudioTrack, MediaError } from './packet.ts';

/** Encoders send 2 to 7 bytes; it is kept with every init segment, so it must not grow. */
const recordBytesMax = 32;

const lowComplexity = 2;
const spectralReplication = 5;
const parametricStereo = 29;

/** Audio object types that encoders offer and browsers do not play (ISO 14496-3 table 1.17). */
const unplayable: Record<number, string> = {
  1: 'AAC Main',
  3: 'AAC SSR',
  4: 'AAC LTP',
  23: 'AAC LD',
  34: 'MP3 inside MPEG-4',
  39: 'AAC ELD',
  42: 'xHE-AAC',
};

/** By sampling frequency index (table 1.18). */
const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
];
const explicitRate = 15;

/** By channel configuration (table 1.19); 0 stands for none that we read. */
const channelCounts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 0, 8];

/**
 * HE-AAC that is told by a sync word behind the config of its core keeps the core's name: every
 * player takes it so and finds the rest by itself.
 */
export function audioTrackOf(came: Lent): AudioTrack {
  if (came.length > recordBytesMax) {
    throw new MediaError('The AAC parameters are broken: too long');
  }
  const record = keep(came);
  const bits = new BitReader(record, 'The AAC parameters');
  const type = objectType(bits);
  const isHighEfficiency = type === spectralReplication || type === parametricStereo;
  if (!isHighEfficiency) checkCore(type);
  const sampleRate = rate(bits);
  const channels = channelCount(bits);
  if (isHighEfficiency) {
    // The rate after replication, then the coder that is wrapped.
    rate(bits);
    checkCore(objectType(bits));
  }
  const frameSamples = bits.flag() ? 960 : 1024;
  return {
    kind: 'audio',
    codec: `mp4a.40.${type}`,
    record,
    sampleRate,
    // Parametric stereo makes two channels of one.
    channels: type === parametricStereo && channels === 1 ? 2 : channels,
    frameSamples,
  };
}

function objectType(bits: BitReader): number {
  const type = bits.bits(5);
  return type === 31 ? 32 + bits.bits(6) : type;
}

function checkCore(type: number): void {
  if (type === lowComplexity) return;
  const name = unplayable[type] ?? `MPEG-4 audio of type ${type}`;
  throw new MediaError(
    `The sound is ${name}, which browsers cannot play: set the encoder to AAC LC`,
  );
}

function rate(bits: BitReader): number {
  const index = bits.bits(4);
  const sampleRate = index === explicitRate ? bits.bits(24) : sampleRates[index];
  if (sampleRate === undefined || sampleRate < 7_350 || sampleRate > 96_000) {
    throw new MediaError(
      `The sound has ${sampleRate ?? 'no known number of'} samples a second: set the encoder to 44100 or 48000`,
    );
  }
  return sampleRate;
}

function channelCount(bits: BitReader): number {
  const configuration = bits.bits(4);
  const channels = channelCounts[configuration];
  if (!channels) {
    throw new MediaError(
      `The sound's channels (configuration ${configuration}) are not ones browsers play: set the encoder to stereo`,
    );
  }
  return channels;
}
