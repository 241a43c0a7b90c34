// Which size a choice means, and which sizes a multivariant playlist has.
import { expect, test } from 'bun:test';
import { rungFor, rungsIn } from './rungs.ts';

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
