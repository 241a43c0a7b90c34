// The checker of Safari's rules is checked too: a stream that keeps to them passes, and each rule finds who breaks it.
import { expect, test } from 'bun:test';
import {
  type FetchedSegment,
  type FetchedStream,
  type FetchedVariant,
  judgeHls,
  type ReadTrack,
  rules,
} from '../support/hls-requirements.ts';
import { type ListedSegment, readMediaPlaylist } from '../support/media-playlist.ts';

const startsAt = Date.UTC(2026, 4, 4, 12);
const segmentMs = 2_000;
const parts = Array.from({ length: 10 }, (_, n) => n);

/** Three whole segments of ten parts. */
function playlist() {
  const lines = [7, 8, 9].flatMap((sequence, at) => [
    ...(at === 0 ? ['#EXT-X-MAP:URI="init.mp4"'] : []),
    `#EXT-X-PROGRAM-DATE-TIME:${new Date(startsAt + at * segmentMs).toISOString()}`,
    ...parts.map(
      (n) =>
        `#EXT-X-PART:DURATION=0.200,URI="${sequence}.${n}.m4s"${n === 0 ? ',INDEPENDENT=YES' : ''}`,
    ),
    '#EXTINF:2.000,',
    `${sequence}.m4s`,
  ]);
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:9',
    '#EXT-X-TARGETDURATION:2',
    '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=0.600',
    '#EXT-X-PART-INF:PART-TARGET=0.200',
    '#EXT-X-MEDIA-SEQUENCE:7',
  ];
  const hint = '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="10.0.m4s"';
  return readMediaPlaylist([...head, ...lines, hint, ''].join('\n'));
}

const picture: ReadTrack = {
  kind: 'video',
  codec: 'avc1.64001f',
  profile: 'High',
  level: 31,
  width: 1_280,
  height: 720,
  picturesPerSecond: 30,
  sampleRate: 0,
  channels: 0,
};
const sound: ReadTrack = {
  ...picture,
  kind: 'audio',
  codec: 'mp4a.40.2',
  profile: 'LC',
  level: 0,
  width: 0,
  height: 0,
  picturesPerSecond: 0,
  sampleRate: 48_000,
  channels: 2,
};

function segments(bits: number, hasPictures: boolean): Map<number, FetchedSegment> {
  return new Map(
    [7, 8, 9].map((sequence, at) => [
      sequence,
      {
        bytes: (bits * segmentMs) / 8_000,
        firstShownMs: at * segmentMs,
        firstHeardMs: at * segmentMs + 7,
        keyFramesAtMs: hasPictures ? [at * segmentMs] : [],
        hasPictures,
        partsBeginWithKey: parts.map((n) => hasPictures && n === 0),
      },
    ]),
  );
}

function variant(
  name: string,
  bits: number,
  tracks: ReadTrack[],
  reports: string[],
): FetchedVariant {
  const [first] = tracks;
  const size = first?.kind === 'video' ? { RESOLUTION: '1280x720', 'FRAME-RATE': '30.000' } : {};
  const codecs = tracks.map(({ codec }) => codec).join(',');
  return {
    name,
    attributes: { BANDWIDTH: `${bits}`, 'AVERAGE-BANDWIDTH': `${bits}`, CODECS: codecs, ...size },
    playlist: playlist(),
    tracks,
    segments: segments(bits, first?.kind === 'video'),
    reports,
  };
}

function stream(): FetchedStream {
  return {
    isIndependent: true,
    hasImageList: false,
    variants: [
      variant('source', 2_400_000, [picture, sound], ['720p', 'sound']),
      variant('720p', 1_200_000, [picture, sound], ['source', 'sound']),
      variant('sound', 128_000, [sound], ['source', '720p']),
    ],
  };
}

/** The second variant changed. */
function changed(change: (of: FetchedVariant) => Partial<FetchedVariant>): FetchedStream {
  const good = stream();
  const variants = good.variants.map((one, at) => (at === 1 ? { ...one, ...change(one) } : one));
  return { ...good, variants };
}

function listed(
  change: (segment: ListedSegment, at: number) => Partial<ListedSegment>,
): FetchedStream {
  return changed(({ playlist: list }) => ({
    playlist: {
      ...list,
      segments: list.segments.map((one, at) => ({ ...one, ...change(one, at) })),
    },
  }));
}

function fetched(change: Partial<FetchedSegment>): FetchedStream {
  return changed(({ segments: all }) => ({
    segments: new Map(
      [...all].map(([sequence, one]) => [sequence, sequence === 8 ? { ...one, ...change } : one]),
    ),
  }));
}

function said(attribute: string, value: string): FetchedStream {
  return changed(({ attributes = {} }) => ({ attributes: { ...attributes, [attribute]: value } }));
}

function read(change: Partial<ReadTrack>): FetchedStream {
  return changed(() => ({ tracks: [{ ...picture, ...change }, sound] }));
}

const broken: Record<string, FetchedStream> = {
  'no segment is longer than the target duration': listed(() => ({ durationMs: 2_600 })),
  'parts last the part target, all but the last at least 85 % of it': listed(({ parts: all }) => ({
    parts: all.map((part) => ({ ...part, durationMs: 150 })),
  })),
  'a player is held back by three parts at least': changed(({ playlist: list }) => ({
    playlist: { ...list, partHoldBackMs: 500 },
  })),
  'a part is called independent where it begins with a key frame': fetched({
    partsBeginWithKey: parts.map((n) => n === 1),
  }),
  'segments of a stream whose segments are independent begin with a key frame': fetched({
    keyFramesAtMs: [2_500],
  }),
  'dates go on as the media does': listed(({ startsAt: at = '' }, n) => ({
    startsAt: new Date(Date.parse(at) + n * 40).toISOString(),
  })),
  'live playlists tell dates': listed(() => ({ startsAt: undefined })),
  'timestamps go on as the playlist says': fetched({ firstShownMs: 2_040 }),
  'each variant says what it takes of a line, at most and on average': said(
    'AVERAGE-BANDWIDTH',
    '',
  ),
  'each variant says its codecs, and these are in it': said('CODECS', 'avc1.64001e,mp4a.40.2'),
  'each variant with pictures says their size and rate, and these are so': said(
    'RESOLUTION',
    '854x480',
  ),
  'no run of segments takes more than the bandwidth': fetched({ bytes: 400_000 }),
  'all segments together take the average bandwidth at most': said('AVERAGE-BANDWIDTH', '900000'),
  'H.264 is of a profile and level that all devices decode': read({ level: 51 }),
  'no more than 60 pictures a second': read({ picturesPerSecond: 120 }),
  'a key frame each two seconds': fetched({ keyFramesAtMs: [] }),
  'all variants have the same target duration': changed(({ playlist: list }) => ({
    playlist: { ...list, targetMs: 3_000 },
  })),
  'segments of one number are the same media in all variants': listed(() => ({ discontinuity: 1 })),
  'parts of one number are the same media in all variants': listed(({ parts: all }) => ({
    parts: all.map((part, n) => ({ ...part, durationMs: n === 3 ? 199 : part.durationMs })),
  })),
  'the same media has the same timestamps in all variants': fetched({ firstShownMs: 2_001 }),
  'sound is the same in all variants': changed(() => ({
    tracks: [picture, { ...sound, channels: 1 }],
  })),
  'each low-latency playlist says how far the others are': changed(() => ({ reports: ['source'] })),
  'one variant is for the slowest lines': {
    ...stream(),
    variants: stream().variants.slice(0, 2),
  },
  'one size takes about twice of the next smaller one': said('AVERAGE-BANDWIDTH', '400000'),
  'a recording has a list of key frames to be searched by': {
    ...stream(),
    variants: stream().variants.map((one) => ({
      ...one,
      playlist: { ...one.playlist, isEnded: true },
    })),
  },
};

test('a stream that keeps to all of them has nothing found', () => {
  expect([...judgeHls(stream()), ...judgeHls(stream(), { isAdvice: true })]).toEqual([]);
});

test('each rule has a stream that breaks it', () => {
  expect(Object.keys(broken).sort()).toEqual(rules.map(({ name }) => name).sort());
});

test.each(Object.entries(broken))('it finds where this does not hold: %s', (rule, one) => {
  const found = [...judgeHls(one), ...judgeHls(one, { isAdvice: true })];
  expect(found.map((finding) => finding.rule)).toContain(rule);
});
