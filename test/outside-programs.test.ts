// Programs that are not ours push, play and judge: ffmpeg, GStreamer, librtmp.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFlvFile } from '../src/stream/formats/flv-file.ts';
import { mp4File, sourceFile } from '../src/stream/recording/recording-folder.ts';
import { clipOf, pushClip } from '../src/stream/rtmp/paced-push.ts';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import type { ReadByFfmpeg8 } from './support/read-with-ffmpeg8.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';

const [sqlite] = engines;

function lacking(...programs: string[]): string | undefined {
  const absent = programs.filter((program) => !Bun.which(program));
  return absent.length > 0 ? `${absent.join(', ')} is not installed` : undefined;
}

interface Ran {
  code: number;
  words: string;
  output: string;
}

async function run(program: string, args: readonly string[]): Promise<Ran> {
  const child = Bun.spawn([program, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [output, words] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, words: words.trim(), output };
}

interface Channel {
  id: number;
  rtmp_publish_addr: string;
  hls_play_addr: string;
  rtmp_play_addr: string;
}

/** ffmpeg reads the init anew with each live playlist and then says that it knew it: of any server. */
const ofAnyServer = /Found duplicated MOOV Atom|Last message repeated/;

function mattering({ words }: Ran): string {
  return words
    .split('\n')
    .filter((line) => !ofAnyServer.test(line))
    .join('\n');
}

function rateOf(fraction: string): number {
  const [frames = 0, per = 1] = fraction.split('/').map(Number);
  return frames / per;
}

describe('programs that are not ours', () => {
  const withFfmpeg = lacking('ffmpeg', 'ffprobe');
  let service: TestService;
  beforeAll(async () => {
    if (!sqlite) throw new Error('no engine');
    service = await startTestService(sqlite, {
      clock: movingClock(),
      settings: { MIN_FREE_DISK: '0' },
    });
  });
  afterAll(() => service.stop());

  const newChannel = async (name: string): Promise<Channel> =>
    (await service.call('POST', '/v1/activities', { body: { name } })).body;

  /** A push of four seconds may be over before a busy machine looks, or take long; it can be played for a while. */
  const untilPlays = async ({ hls_play_addr }: Channel): Promise<void> => {
    const playlist = async () => await (await fetch(hls_play_addr)).text();
    while (!(await playlist()).includes('#EXTINF')) await Bun.sleep(50);
  };

  const videoOf = async ({ id }: Channel) => {
    for (;;) {
      const { body } = await service.call('GET', `/v1/videos?act_id=${id}`);
      if (body.videos.length > 0) return body.videos[0];
      await Bun.sleep(50);
    }
  };

  /** What a reader of another make finds at an address; its warnings fail the test. */
  const judged = async (address: string) => {
    const { code, words, output } = await run('ffprobe', [
      ...['-v', 'warning', '-count_packets', '-show_streams', '-show_format', '-of', 'json'],
      address,
    ]);
    // On a busy machine a sound may come so late that pictures begin without it.
    const told = words.replace(/^\[mov.*Found duplicated MOOV Atom.*\n?/gm, '');
    expect({ code, words: told }).toEqual({ code: 0, words: '' });
    const { streams, format } = JSON.parse(output);
    const of = (type: string) =>
      streams.find(({ codec_type }: { codec_type: string }) => codec_type === type);
    return {
      seconds: Number(format.duration),
      video: of('video'),
      audio: of('audio'),
      packets: (type: string) => Number(of(type)?.nb_read_packets ?? 0),
    };
  };

  const seconds = 4;
  const video = (rate: string, ...more: string[]) => [
    ...['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=${rate}:duration=${seconds}`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...more],
  ];
  const audio = (rate: number, channels: number) => [
    ...['-f', 'lavfi', '-i', `sine=sample_rate=${rate}:duration=${seconds}`],
    ...['-c:a', 'aac', '-ac', String(channels)],
  ];
  const both = (pictures: string[], sounds: string[]) => [
    ...[...pictures.slice(0, 4), ...sounds.slice(0, 4)],
    ...[...pictures.slice(4), ...sounds.slice(4)],
  ];

  const pushes: { name: string; args: string[]; frames: number; rate?: string; sound?: string }[] =
    [
      {
        name: '23.976 fps',
        args: both(video('24000/1001', '-g', '48'), audio(48_000, 2)),
        frames: 96,
        rate: '24000/1001',
        sound: '48000',
      },
      {
        name: '29.97 fps',
        args: both(video('30000/1001', '-g', '60'), audio(44_100, 2)),
        frames: 120,
        rate: '30000/1001',
        sound: '44100',
      },
      {
        name: '60 fps',
        args: both(video('60', '-g', '120'), audio(48_000, 2)),
        frames: 240,
        rate: '60/1',
        sound: '48000',
      },
      {
        name: 'B-frames',
        args: both(video('30', '-g', '60', '-bf', '3', '-preset', 'veryfast'), audio(48_000, 2)),
        frames: 120,
        rate: '30/1',
        sound: '48000',
      },
      {
        name: 'mono 22.05 kHz',
        args: both(video('25', '-g', '50'), audio(22_050, 1)),
        frames: 100,
        rate: '25/1',
        sound: '22050',
      },
      {
        name: 'a GOP of 10 s',
        args: both(video('30', '-g', '300'), audio(48_000, 2)),
        frames: 120,
        rate: '30/1',
        sound: '48000',
      },
      { name: 'video only', args: video('30', '-g', '60'), frames: 120, rate: '30/1' },
      { name: 'audio only', args: audio(48_000, 2), frames: 0, sound: '48000' },
    ];

  const pushedAndPlayed = async (push: (typeof pushes)[number]) => {
    const channel = await newChannel(push.name);
    const toUs = ['-f', 'flv', channel.rtmp_publish_addr];
    const pushed = run('ffmpeg', ['-v', 'error', '-re', ...push.args, ...toUs]);
    await untilPlays(channel);
    const away = ['-c', 'copy', '-f', 'null', '-'];
    const played = run('ffmpeg', ['-v', 'warning', '-i', channel.hls_play_addr, ...away]);
    return { channel, pushed: await pushed, played: await played };
  };
  // All at once: they last as long as they show.
  let outcomes: ReturnType<typeof pushedAndPlayed>[] = [];
  beforeAll(() => {
    if (!withFfmpeg) outcomes = pushes.map(pushedAndPlayed);
  });

  pushes.forEach((push, at) => {
    testWith(withFfmpeg, `ffmpeg pushes ${push.name}: it plays live, and recorded`, async () => {
      const outcome = await outcomes[at];
      if (!outcome) throw new Error('it was not pushed');
      const { channel, pushed, played } = outcome;
      expect(pushed).toMatchObject({ code: 0, words: '' });
      expect({ ...played, words: mattering(played) }).toMatchObject({ code: 0, words: '' });
      const row = await videoOf(channel);
      expect(row.duration).toBe(seconds);
      expect([row.width, row.height]).toEqual(push.frames > 0 ? [320, 180] : [0, 0]);
      for (const address of [row.m3u8, row.video_url]) {
        const found = await judged(address);
        expect(found.packets('video')).toBe(push.frames);
        // RTMP has whole milliseconds, so ffprobe's guess from the first pictures is one of 33 or 34.
        if (push.rate)
          expect(rateOf(found.video.avg_frame_rate) / rateOf(push.rate)).toBeCloseTo(1, 1);
        expect(found.audio?.sample_rate).toBe(push.sound);
        expect(Math.abs(found.seconds - seconds)).toBeLessThan(0.3);
      }
    });
  });

  const gstFrames = 90;
  for (const [sink, what] of [
    ['rtmp2sink', 'GStreamer'],
    ['rtmpsink', 'librtmp (by GStreamer)'],
  ])
    testWith(
      lacking('gst-launch-1.0', 'ffprobe'),
      `${what} pushes, and it is recorded`,
      async () => {
        const channel = await newChannel(`by ${sink}`);
        const picture = 'video/x-raw,width=320,height=180,framerate=30/1,format=I420';
        const pipeline = `videotestsrc num-buffers=${gstFrames} is-live=true ! ${picture}
        ! x264enc tune=zerolatency key-int-max=60 speed-preset=ultrafast ! h264parse ! flvmux name=mux streamable=true
        ! ${sink} location=${channel.rtmp_publish_addr}
        audiotestsrc num-buffers=129 is-live=true ! audio/x-raw,rate=44100,channels=2 ! voaacenc ! aacparse ! mux.`;
        const pushed = await run('gst-launch-1.0', ['-q', '-e', ...pipeline.split(/\s+/)]);
        expect({ code: pushed.code, words: pushed.words }).toEqual({ code: 0, words: '' });
        const found = await judged((await videoOf(channel)).m3u8);
        expect(found.packets('video')).toBe(gstFrames);
        expect(found.audio.sample_rate).toBe('44100');
      },
    );

  testWith(
    lacking('ffmpeg', 'ffprobe', 'rtmpdump'),
    'ffmpeg and rtmpdump play over RTMP',
    async () => {
      const channel = await newChannel('played over RTMP');
      const publisher = await publishTo(channel.rtmp_publish_addr);
      const stop = new AbortController();
      const pushed = pushClip(publisher, clipOf(readFlvFile(await readFile(clip))), {
        loop: true,
        signal: stop.signal,
      });
      await untilPlays(channel);
      const copy = join(temporaryFolder(), 'played.flv');
      const dumping = run('rtmpdump', ['-q', '-v', '-r', channel.rtmp_play_addr, '-o', copy]);
      const played = await run('ffmpeg', [
        ...['-v', 'warning', '-i', channel.rtmp_play_addr, '-t', '2'],
        ...['-c', 'copy', '-f', 'null', '-'],
      ]);
      stop.abort();
      await pushed;
      const dumped = await dumping;
      expect(played).toMatchObject({ code: 0, words: '' });
      expect(dumped.code).toBe(0);
      const found = await judged(copy);
      expect([found.video.width, found.audio.sample_rate]).toEqual([640, '48000']);
      // As the clip's own metadata says: nothing else in a live stream tells its rates.
      expect([found.video.bit_rate, found.audio.bit_rate]).toEqual(['350000', '64000']);
      expect(found.packets('video')).toBeGreaterThan(45);
    },
  );

  testWith(lackingFfmpeg8(), 'FFmpeg 8 reads every kind of output', async () => {
    const channel = await newChannel('read by FFmpeg 8');
    const publisher = await publishTo(channel.rtmp_publish_addr);
    const stop = new AbortController();
    const pushed = pushClip(publisher, clipOf(readFlvFile(await readFile(clip))), {
      loop: true,
      signal: stop.signal,
    });
    await untilPlays(channel);
    const live = await Promise.all(
      [channel.hls_play_addr, channel.rtmp_play_addr].map((address) => readByFfmpeg8(address, 60)),
    );
    stop.abort();
    await pushed;
    let row = await videoOf(channel);
    // The last of what is made: by then the progressive file is at its address.
    while (row.cover_url === '') row = await videoOf(channel);
    const fragmented = row.video_url.replace(mp4File, sourceFile);
    const kept = await Promise.all(
      [row.m3u8, fragmented, row.video_url].map((address) => readByFfmpeg8(address)),
    );
    for (const { ffmpeg, pictures, sounds, words } of [...live, ...kept]) {
      expect({ ffmpeg: ffmpeg.split('.')[0], words }).toEqual({ ffmpeg: '8', words: [] });
      expect(pictures).toBeGreaterThanOrEqual(60);
      expect(sounds).toBeGreaterThan(60);
    }
    expect(new Set(kept.map(({ pictures }) => pictures)).size).toBe(1);
  });

  testWith(
    lacking('ffmpeg'),
    'what browsers cannot play is refused, and ffmpeg says why',
    async () => {
      const channel = await newChannel('4:4:4');
      const args = ['-v', 'error', '-re', ...video('30', '-pix_fmt', 'yuv444p')];
      const { code, words } = await run('ffmpeg', [
        ...args,
        '-f',
        'flv',
        channel.rtmp_publish_addr,
      ]);
      expect(code).not.toBe(0);
      expect(words).toContain('4:2:0');
    },
  );
});

/** It is an npm package, and optional. */
function lackingFfmpeg8(): string | undefined {
  try {
    import.meta.resolve('node-av/api');
    return undefined;
  } catch {
    return 'node-av is not installed';
  }
}

async function readByFfmpeg8(address: string, picturesMax?: number): Promise<ReadByFfmpeg8> {
  const program = join(import.meta.dir, 'support/read-with-ffmpeg8.ts');
  const bound = picturesMax === undefined ? [] : [String(picturesMax)];
  const { words, output } = await run(process.execPath, [program, address, ...bound]);
  if (output === '') throw new Error(words);
  const read: ReadByFfmpeg8 = JSON.parse(output);
  return { ...read, words: read.words.filter((line) => !ofAnyServer.test(line)) };
}

const clip = new URL('../clip/clip.flv', import.meta.url).pathname;
