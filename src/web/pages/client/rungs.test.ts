// Which size a choice means, and which sizes a multivariant playlist has.
import { expect, test } from 'bun:test';
import { stillTrack } from '../../../stream/ladder/still-picture.ts';
import { isStill, rungFor, rungsIn } from './rungs.ts';

test.each([
  [720, [1080, 720, 480], 1],
  [1080, [1080, 720, 480], 0],
  // The next video lacks it: what is below, as the line may not carry more.
  [1080, [720, 480, 360], 0],
  [720, [1080, 480], 1],
  [240, [1080, 480, 0], 1],
  [0, [1080, 480, 0], 2],
  [0, [1080, 480], 1],
  [480, [0], 0],
])('%p of %p', (wanted, sides, at) => {
  const rungs = sides.map((shortSide) => ({ shortSide }));
  expect(rungFor(rungs, wanted)).toBe(at);
});

test.each<[string, boolean, number[]]>([
  ['beside larger ones it is known by its size', true, [720, 480, 360, 0]],
  ['of a stream without it a picture as small is one', false, [144]],
  ['beside a size that is as small nobody can tell, so it is a picture', false, [144, 0]],
  ['where there is no sound alone there is none', false, [720, 480]],
])('the black picture: %s', (_, is, sides) => {
  const { width: videoWidth, height: videoHeight } = stillTrack;
  const rungs = sides.map((shortSide) => ({ shortSide }));
  expect(isStill({ videoWidth, videoHeight }, rungs)).toBe(is);
  expect(isStill({ videoWidth: 480, videoHeight: 360 }, rungs)).toBe(false);
});

test('the sizes of a playlist, by their short sides, each at its whole address', () => {
  const playlist = `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1280x720
index.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=480x854,CODECS="avc1.64001f,mp4a.40.2"
# a comment
480.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=100000
/elsewhere/sound.m3u8
`;
  expect(rungsIn(playlist, 'https://a.example/recordings/7/all.m3u8')).toEqual([
    { shortSide: 720, address: 'https://a.example/recordings/7/index.m3u8' },
    { shortSide: 480, address: 'https://a.example/recordings/7/480.m3u8' },
    { shortSide: 0, address: 'https://a.example/elsewhere/sound.m3u8' },
  ]);
  const media = '#EXTM3U\n#EXTINF:2,\na.mp4\n';
  expect(rungsIn(media, 'https://a.example/x.m3u8')).toEqual([]);
});
