// What Safari may ask of a stream, as rules over what was fetched: RFC 8216, RFC 8216bis and Apple's HLS authoring specification.
import type { ListedSegment, MediaPlaylist } from './media-playlist.ts';

/** A picture or a piece of sound of a variant, as a reader that is not ours tells of it. */
export interface ReadTrack {
  kind: 'video' | 'audio';
  /** As RFC 6381 writes it, of the parameters in the init. */
  codec: string;
  profile: string;
  /** H.264's, times ten. */
  level: number;
  width: number;
  height: number;
  picturesPerSecond: number;
  sampleRate: number;
  channels: number;
}

/** What was fetched of a segment. */
export interface FetchedSegment {
  bytes: number;
  /** When its first picture is shown, and its first sound heard; milliseconds of the media. 0 where there is none. */
  firstShownMs: number;
  firstHeardMs: number;
  /** Of each key frame in it. */
  keyFramesAtMs: readonly number[];
  hasPictures: boolean;
  /** Of each listed part, in their order: whether it begins with a key frame. Absent where none were fetched. */
  partsBeginWithKey?: readonly boolean[];
}

export interface FetchedVariant {
  name: string;
  /** Of EXT-X-STREAM-INF; absent where the address is that of a media playlist. */
  attributes?: Readonly<Record<string, string>>;
  playlist: MediaPlaylist;
  tracks: readonly ReadTrack[];
  /** By sequence number: those that were fetched. */
  segments: ReadonlyMap<number, FetchedSegment>;
  /** Others of which it says how far they are. */
  reports: readonly string[];
}

export interface FetchedStream {
  isIndependent: boolean;
  hasImageList: boolean;
  variants: readonly FetchedVariant[];
}

export interface Finding {
  rule: string;
  variant: string;
  says: string;
}

interface Rule {
  name: string;
  /** Where it is written. */
  from: string;
  /** One that should be kept to, and need not be. */
  isAdvice?: boolean;
  /** What is wrong with one variant. */
  ofVariant?(variant: FetchedVariant, stream: FetchedStream): string[];
  /** What is wrong between a variant and the first one. */
  between?(variant: FetchedVariant, first: FetchedVariant): string[];
  ofStream?(stream: FetchedStream): string[];
}

const rfc = 'RFC 8216';
const bis = 'RFC 8216bis';
const apple = 'HLS authoring specification';

/** RFC 8216 4.1: the peak is that of any run of segments that is half to one and a half target durations long. */
const peakRun = { least: 0.5, most: 1.5 };
/** What is measured of live media may be so much more than was said when it was asked for. */
const ratesWithin = 1.1;
const levelMax = 42;
const profiles = ['Constrained Baseline', 'Baseline', 'Main', 'High'];
const keyFrameMsMax = 2_000;
const cellularBits = 192_000;
const rungFactors = { least: 1.3, most: 2.6 };

export const rules: readonly Rule[] = [
  {
    name: 'no segment is longer than the target duration',
    from: `${rfc} 4.3.3.1`,
    ofVariant: ({ playlist: { targetMs, segments } }) =>
      segments
        .filter(({ durationMs }) => Math.round(durationMs / 1_000) * 1_000 > targetMs)
        .map((one) => `segment ${one.sequence} lasts ${one.durationMs} ms of ${targetMs}`),
  },
  {
    name: 'parts last the part target, all but the last at least 85 % of it',
    from: `${bis} 4.4.4.9`,
    ofVariant: ({ playlist: { partTargetMs = 0, segments } }) =>
      segments.flatMap(({ parts, uri }, at) =>
        parts
          .filter(({ durationMs }, n) => {
            const isLast =
              n === parts.length - 1 && (uri !== undefined || at === segments.length - 1);
            return durationMs > partTargetMs || (!isLast && durationMs < 0.85 * partTargetMs);
          })
          .map((part) => `part ${part.uri} lasts ${part.durationMs} ms of ${partTargetMs}`),
      ),
  },
  {
    name: 'a player is held back by three parts at least',
    from: `${bis} 4.4.3.8`,
    ofVariant: ({ playlist: { partTargetMs, partHoldBackMs = 0 } }) =>
      partTargetMs !== undefined && partHoldBackMs < 3 * partTargetMs
        ? [`the hold back is ${partHoldBackMs} ms, parts have ${partTargetMs}`]
        : [],
  },
  {
    name: 'a part is called independent where it begins with a key frame',
    from: `${bis} 4.4.4.9`,
    ofVariant: ({ playlist, segments }) =>
      playlist.segments.flatMap(({ sequence, parts }) => {
        const { partsBeginWithKey: begins = [], hasPictures } = segments.get(sequence) ?? {};
        if (!hasPictures) return [];
        return parts
          .filter(({ isIndependent }, n) => begins[n] !== undefined && begins[n] !== isIndependent)
          .map(
            ({ uri, isIndependent }) => `part ${uri} is ${isIndependent ? 'not' : 'independent'}`,
          );
      }),
  },
  {
    name: 'segments of a stream whose segments are independent begin with a key frame',
    from: `${rfc} 4.3.5.1`,
    ofVariant: ({ segments }, { isIndependent }) =>
      [...segments]
        .filter(
          ([, { hasPictures, firstShownMs, keyFramesAtMs }]) =>
            isIndependent && hasPictures && keyFramesAtMs[0] !== firstShownMs,
        )
        .map(([sequence]) => `segment ${sequence} does not`),
  },
  {
    name: 'dates go on as the media does',
    from: `${rfc} 4.3.2.6`,
    ofVariant: ({ playlist: { segments } }) =>
      segments.slice(1).flatMap((segment, at) => {
        const before = segments[at] as ListedSegment;
        if (segment.startsAt === undefined || before.startsAt === undefined) return [];
        if (segment.discontinuity !== before.discontinuity) return [];
        const offMs =
          Date.parse(segment.startsAt) - Date.parse(before.startsAt) - before.durationMs;
        return Math.abs(offMs) > 1 ? [`segment ${segment.sequence} is off by ${offMs} ms`] : [];
      }),
  },
  {
    name: 'live playlists tell dates',
    from: apple,
    ofVariant: ({ playlist: { segments, isEnded } }) =>
      isEnded
        ? []
        : segments
            .filter(({ startsAt }) => startsAt === undefined)
            .map(({ sequence }) => `segment ${sequence} has none`),
  },
  {
    name: 'timestamps go on as the playlist says',
    from: `${rfc} 3`,
    ofVariant: ({ playlist, segments }) => {
      const listed = playlist.segments.filter(
        ({ sequence }) => segments.get(sequence)?.hasPictures,
      );
      return listed.slice(1).flatMap((segment, at) => {
        const before = listed[at] as ListedSegment;
        if (
          segment.sequence !== before.sequence + 1 ||
          segment.discontinuity !== before.discontinuity
        )
          return [];
        const shownMs = (one: ListedSegment) => segments.get(one.sequence)?.firstShownMs ?? 0;
        const offMs = shownMs(segment) - shownMs(before) - before.durationMs;

        return Math.abs(offMs) > 1 ? [`segment ${segment.sequence} is off by ${offMs} ms`] : [];
      });
    },
  },
  {
    name: 'each variant says what it takes of a line, at most and on average',
    from: `${rfc} 4.3.4.2, ${apple}`,
    ofVariant: ({ attributes }) =>
      attributes === undefined
        ? []
        : ['BANDWIDTH', 'AVERAGE-BANDWIDTH']
            .filter((name) => !/^\d+$/.test(attributes[name] ?? ''))
            .map((name) => `no ${name}`),
  },
  {
    name: 'each variant says its codecs, and these are in it',
    from: `${rfc} 4.3.4.2, ${apple}`,
    ofVariant: ({ attributes, tracks }) => {
      if (attributes === undefined) return [];
      const said = (attributes['CODECS'] ?? '')
        .split(',')
        .filter((one) => one !== '')
        .sort();
      const found = tracks.map(({ codec }) => codec).sort();
      return said.join() === found.join() ? [] : [`it says "${said}", there is "${found}"`];
    },
  },
  {
    name: 'each variant with pictures says their size and rate, and these are so',
    from: `${rfc} 4.3.4.2, ${apple}`,
    ofVariant: ({ attributes, tracks }) => {
      const video = tracks.find(({ kind }) => kind === 'video');
      if (attributes === undefined || !video) return [];
      const problems: string[] = [];
      const size = `${video.width}x${video.height}`;
      if (attributes['RESOLUTION'] !== size)
        problems.push(`it says ${attributes['RESOLUTION']}, there is ${size}`);
      const rate = Number(attributes['FRAME-RATE']);
      if (!(Math.abs(rate - video.picturesPerSecond) <= 0.5))
        problems.push(
          `it says ${attributes['FRAME-RATE']} pictures a second, there are ${video.picturesPerSecond}`,
        );
      return problems;
    },
  },
  {
    name: 'no run of segments takes more than the bandwidth',
    from: `${rfc} 4.3.4.2`,
    ofVariant: (variant) => {
      const said = Number(variant.attributes?.['BANDWIDTH']);
      const peak = peakOf(variant);
      return peak > said * ratesWithin ? [`it says ${said}, there are ${Math.round(peak)}`] : [];
    },
  },
  {
    name: 'all segments together take the average bandwidth at most',
    from: `${rfc} 4.3.4.2, ${apple}`,
    ofVariant: (variant) => {
      const said = Number(variant.attributes?.['AVERAGE-BANDWIDTH']);
      const average = rateOf(fetchedRun(variant));
      return average > said * ratesWithin
        ? [`it says ${said}, there are ${Math.round(average)}`]
        : [];
    },
  },
  {
    name: 'H.264 is of a profile and level that all devices decode',
    from: `${apple} 1.3`,
    ofVariant: ({ tracks }) =>
      tracks
        .filter(
          ({ kind, profile, level }) =>
            kind === 'video' && (!profiles.includes(profile) || level > levelMax),
        )
        .map(({ profile, level }) => `it is ${profile} ${level / 10}`),
  },
  {
    name: 'no more than 60 pictures a second',
    from: `${apple} 1.15`,
    ofVariant: ({ tracks }) =>
      tracks
        .filter(({ picturesPerSecond }) => picturesPerSecond > 60.5)
        .map((one) => `there are ${one.picturesPerSecond}`),
  },
  {
    name: 'a key frame each two seconds',
    from: `${apple} 1.9`,
    isAdvice: true,
    ofVariant: ({ segments }) => {
      const all = [...segments].sort(([a], [b]) => a - b);
      const times = all.flatMap(([, { keyFramesAtMs }]) => keyFramesAtMs);
      return times
        .slice(1)
        .map((at, n) => at - (times[n] ?? at))
        .filter((ms) => ms > keyFrameMsMax + 50)
        .map((ms) => `two are ${ms} ms apart`);
    },
  },
  {
    name: 'all variants have the same target duration',
    from: `${rfc} 6.2.4`,
    between: ({ playlist }, first) =>
      playlist.targetMs === first.playlist.targetMs
        ? []
        : [`${playlist.targetMs} ms, the first has ${first.playlist.targetMs}`],
  },
  {
    name: 'segments of one number are the same media in all variants',
    from: `${rfc} 6.2.4`,
    between: (variant, first) =>
      sharedSegments(variant, first).flatMap(([one, other]) => {
        const problems: string[] = [];
        const name = `segment ${one.sequence}`;
        if (one.durationMs !== other.durationMs && one.uri && other.uri)
          problems.push(`${name} lasts ${one.durationMs} ms, in the first ${other.durationMs}`);
        if (one.startsAt !== other.startsAt)
          problems.push(`${name} is of ${one.startsAt}, in the first of ${other.startsAt}`);
        if (one.discontinuity !== other.discontinuity)
          problems.push(
            `${name} has discontinuity ${one.discontinuity}, in the first ${other.discontinuity}`,
          );
        return problems;
      }),
  },
  {
    name: 'parts of one number are the same media in all variants',
    from: bis,
    between: (variant, first) =>
      sharedSegments(variant, first).flatMap(([one, other]) =>
        one.parts.flatMap(({ durationMs, uri }, n) => {
          const wanted = other.parts[n]?.durationMs;
          return wanted === undefined || wanted === durationMs
            ? []
            : [`part ${uri} lasts ${durationMs} ms, in the first ${wanted}`];
        }),
      ),
  },
  {
    name: 'the same media has the same timestamps in all variants',
    from: `${rfc} 6.2.4`,
    between: (variant, first) =>
      [...variant.segments].flatMap(([sequence, one]) => {
        const other = first.segments.get(sequence);
        if (!other) return [];
        const shownOffMs = one.hasPictures ? one.firstShownMs - other.firstShownMs : 0;
        const heardOffMs = one.firstHeardMs - other.firstHeardMs;
        return [shownOffMs, heardOffMs]
          .filter((ms) => ms !== 0)
          .map((ms) => `segment ${sequence} is off by ${ms} ms`);
      }),
  },
  {
    name: 'sound is the same in all variants',
    from: `${rfc} 6.2.4`,
    isAdvice: true,
    between: (variant, first) => {
      const [one, other] = [variant, first].map(({ tracks }) => {
        const sound = tracks.find(({ kind }) => kind === 'audio');
        return sound && `${sound.codec} ${sound.sampleRate} Hz ${sound.channels}`;
      });
      return one === other ? [] : [`it is ${one}, in the first ${other}`];
    },
  },
  {
    name: 'each low-latency playlist says how far the others are',
    from: `${bis} 4.4.5.4`,
    isAdvice: true,
    ofVariant: ({ playlist, reports, name }, { variants }) =>
      playlist.partTargetMs === undefined || playlist.isEnded
        ? []
        : variants
            .filter((other) => other.name !== name && !reports.includes(other.name))
            .map((other) => `it does not of ${other.name}`),
  },
  {
    name: 'one variant is for the slowest lines',
    from: `${apple}: 192 kbit/s at most`,
    ofStream: ({ variants }) => {
      const listed = variants.flatMap(({ attributes }) => (attributes ? [attributes] : []));
      if (listed.length < 2) return [];
      const least = Math.min(...listed.map((one) => Number(one['BANDWIDTH'])));
      return least > cellularBits ? [`the least takes ${least}`] : [];
    },
  },
  {
    name: 'one size takes about twice of the next smaller one',
    from: `${apple}: 1.5 to 2 times`,
    isAdvice: true,
    ofStream: ({ variants }) => {
      const rates = variants
        .filter(({ tracks }) => tracks.some(({ kind }) => kind === 'video'))
        .flatMap(({ attributes }) => (attributes ? Number(attributes['AVERAGE-BANDWIDTH']) : []))
        .sort((a, b) => a - b);
      return rates
        .slice(1)
        .map((rate, n) => [rates[n] ?? rate, rate] as const)
        .filter(
          ([small, large]) => large / small > rungFactors.most || large / small < rungFactors.least,
        )
        .map(([small, large]) => `${large} follows on ${small}`);
    },
  },
  {
    name: 'a recording has a list of key frames to be searched by',
    from: `${apple}: EXT-X-I-FRAME-STREAM-INF`,
    ofStream: ({ variants, hasImageList }) =>
      hasImageList || variants.some(({ playlist }) => !playlist.isEnded) ? [] : ['there is none'],
  },
];

/** What does not hold; `isAdvice` as a rule has it. */
export function judgeHls(stream: FetchedStream, { isAdvice = false } = {}): Finding[] {
  const [first] = stream.variants;
  return rules
    .filter((rule) => (rule.isAdvice ?? false) === isAdvice)
    .flatMap(({ name: rule, ofStream, ofVariant, between }) => [
      ...(ofStream?.(stream) ?? []).map((says) => ({ rule, variant: '', says })),
      ...stream.variants.flatMap((variant) =>
        [
          ...(ofVariant?.(variant, stream) ?? []),
          ...(first && variant !== first ? (between?.(variant, first) ?? []) : []),
        ].map((says) => ({ rule, variant: variant.name, says })),
      ),
    ]);
}

function sharedSegments(
  one: FetchedVariant,
  other: FetchedVariant,
): [ListedSegment, ListedSegment][] {
  const others = new Map(other.playlist.segments.map((segment) => [segment.sequence, segment]));
  return one.playlist.segments.flatMap((segment) => {
    const same = others.get(segment.sequence);
    return same ? [[segment, same] as [ListedSegment, ListedSegment]] : [];
  });
}

interface Weighed {
  bytes: number;
  durationMs: number;
}

function fetchedRun({ playlist, segments }: FetchedVariant): Weighed[] {
  return playlist.segments.flatMap(({ sequence, durationMs }) => {
    const bytes = segments.get(sequence)?.bytes;
    return bytes === undefined ? [] : [{ bytes, durationMs }];
  });
}

/** Bits a second. */
function rateOf(run: readonly Weighed[]): number {
  const bytes = run.reduce((sum, one) => sum + one.bytes, 0);
  return (bytes * 8_000) / run.reduce((sum, one) => sum + one.durationMs, 1);
}

function peakOf(variant: FetchedVariant): number {
  const { targetMs } = variant.playlist;
  const all = fetchedRun(variant);
  let peak = 0;
  for (const [from] of all.entries())
    for (let to = from + 1; to <= all.length; to++) {
      const run = all.slice(from, to);
      const ms = run.reduce((sum, { durationMs }) => sum + durationMs, 0);
      if (ms >= peakRun.least * targetMs && ms <= peakRun.most * targetMs)
        peak = Math.max(peak, rateOf(run));
    }
  return peak;
}
