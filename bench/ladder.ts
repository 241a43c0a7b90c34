// `bench ladder`: what it costs to show pushes in smaller sizes, beside ffmpeg that makes the same, and what it does to the source.
import { join } from 'node:path';
import { type ClipPush, startClipPush, testClip } from '../test/support/clip-push.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { type Figure, figure, printTable, ratio, rounded, shown } from './support/figures.ts';
import { makeClip } from './support/ingest-clip.ts';
import { type PartTimes, startPartTimes } from './support/part-times.ts';
import { cpuSeconds } from './support/process-usage.ts';
import { serviceSettings } from './support/service-settings.ts';
import { wantLadder } from './support/want-ladder.ts';
import { isLive } from './support/watched-latency.ts';

interface Sizes {
  clipSeconds: number;
  rounds: number;
  warmUpSeconds: number;
  measuredSeconds: number;
  /** Pushes at once. */
  pushes: readonly number[];
}

export const bench: Bench<Sizes> = {
  sentence: 'smaller sizes of one push and of two, beside ffmpeg that makes the same; 8 minutes',
  sizes: { clipSeconds: 20, rounds: 3, warmUpSeconds: 6, measuredSeconds: 20, pushes: [1, 2] },
  smokeSizes: { clipSeconds: 1, rounds: 1, warmUpSeconds: 0, measuredSeconds: 1.5, pushes: [1] },
  programs: ['ffmpeg'],
  keepsFolder: true,
  run,
};

/** As the service has them: `stream/ladder/ladder-rungs.ts`. */
const rungs = [
  { size: '854:480', bits: '680k' },
  { size: '640:360', bits: '220k' },
];
/** The one whose parts are timed. */
const timedRung = '480p';

interface Round {
  pushes: number;
  hasLadder: boolean;
  /** Parts of a core. */
  serviceCores: number;
  ladderCores: number;
  /** From one part of the source to the next, milliseconds. */
  partsApartMs: number[];
  /** How much later a part of a rung can be had than the source's. */
  behindMs: number[];
  /** Parts of rungs that were not made in time. */
  missing: number;
}

async function run({ sizes, folder }: BenchOrder<Sizes>): Promise<object> {
  const clipFile = join(folder, 'ladder-clip.flv');
  await makeClip(clipFile, sizes.clipSeconds);
  const { rounds, warmUpSeconds, measuredSeconds } = sizes;
  console.log(
    `720p30 of 2 Mbps to 480 and 360; ${rounds} rounds of ${measuredSeconds} s after ${warmUpSeconds} s, each with a fresh service; ` +
      'median (least to most), in parts of a core.\n',
  );
  const results: object[] = [];
  const [costs, times]: [string[][], string[][]] = [[], []];
  for (const pushes of sizes.pushes) {
    const [without, withLadder, ffmpeg]: [Round[], Round[], number[]] = [[], [], []];
    // In turns, so that what slows the machine for a while slows all of them.
    for (let round = 0; round < rounds; round += 1) {
      const place = { sizes, clipFile, folder: join(folder, crypto.randomUUID()), pushes };
      without.push(await serviceRound({ ...place, hasLadder: false }));
      withLadder.push(await serviceRound({ ...place, hasLadder: true }));
      ffmpeg.push(await ffmpegRound(place));
    }
    const made = figuresOf({ without, withLadder, ffmpeg });
    results.push({ pushes, ...made });
    const { ladder, ffmpeg: theirs, toFfmpeg, service, serviceWithout } = made;
    costs.push([
      String(pushes),
      ...[ladder, theirs, toFfmpeg, service, serviceWithout].map((one) => shown(one, 2)),
    ]);
    const { sourceP99Ms, sourceP99MsWithout, behindMs, missing } = made;
    times.push([
      String(pushes),
      ...[sourceP99Ms, sourceP99MsWithout, behindMs].map((one) => shown(one)),
      String(missing),
    ]);
  }
  printTable(['pushes', 'ladders', 'ffmpeg', 'to ffmpeg', 'service', 'without'], costs);
  console.log('In milliseconds: between two parts of the source, the slowest of a hundred.\n');
  printTable(['pushes', 'source', 'without', `${timedRung} behind it`, 'missing parts'], times);
  return rounded({ results });
}

function figuresOf(of: { without: Round[]; withLadder: Round[]; ffmpeg: number[] }) {
  const { without, withLadder, ffmpeg } = of;
  const ladder = withLadder.map(({ ladderCores }) => ladderCores);
  const p99 = (all: Round[]): Figure =>
    figure(
      all.map(({ partsApartMs }) => partsApartMs.at(-Math.ceil(partsApartMs.length / 100)) ?? 0),
    );
  return {
    ladder: figure(ladder),
    ffmpeg: figure(ffmpeg),
    toFfmpeg: ratio(ladder, ffmpeg),
    service: figure(withLadder.map(({ serviceCores }) => serviceCores)),
    serviceWithout: figure(without.map(({ serviceCores }) => serviceCores)),
    sourceP99Ms: p99(withLadder),
    sourceP99MsWithout: p99(without),
    behindMs: figure(withLadder.map(({ behindMs }) => figure(behindMs).median)),
    missing: withLadder.reduce((sum, { missing }) => sum + missing, 0),
  };
}

interface Place {
  sizes: Sizes;
  clipFile: string;
  folder: string;
  pushes: number;
}

async function serviceRound(place: Place & { hasLadder: boolean }): Promise<Round> {
  const { sizes, clipFile, folder, hasLadder } = place;
  const DATA_DIR = join(folder, hasLadder ? 'with' : 'without');
  const service = await startProcess({ ...serviceSettings.ladder, DATA_DIR });
  const pushes: ClipPush[] = [];
  const times: PartTimes[] = [];
  try {
    if (hasLadder) await wantLadder(DATA_DIR, true);
    const lists: string[] = [];
    for (let n = 0; n < place.pushes; n += 1) {
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'bench' } });
      const made = body as { rtmp_publish_addr: string; hls_play_addr: string };
      pushes.push(await startClipPush(made.rtmp_publish_addr, testClip(clipFile)));
      const list = service.url + new URL(made.hls_play_addr).pathname;
      await isLive(list);
      lists.push(list);
    }
    const [first = ''] = lists;
    const timed = hasLadder ? ['source', timedRung] : ['source'];
    await Bun.sleep(sizes.warmUpSeconds * 1_000);
    for (const name of timed)
      times.push(await startPartTimes(first.replace('live.m3u8', `${name}.m3u8`)));
    const used = await usedWhile(service, sizes.measuredSeconds);
    const [source, rung] = times.map(({ seen }) => seen);
    if (!source || source.size < 2) throw new Error('the source has no parts');
    if (hasLadder && (rung?.size ?? 0) < 2) throw new Error('the rung has no parts');
    const at = [...source.values()];
    const missing = await missingParts(service);
    return {
      ...{ pushes: place.pushes, hasLadder, ...used },
      partsApartMs: at
        .slice(1)
        .map((ms, i) => ms - (at[i] ?? ms))
        .toSorted((a, b) => a - b),
      // One that is missing is listed with the source's.
      behindMs: [...(missing > 0 ? [] : (rung ?? []))].flatMap(([part, ms]) => {
        const sourceMs = source.get(part);
        return sourceMs === undefined ? [] : ms - sourceMs;
      }),
      missing,
    };
  } finally {
    for (const one of times) await one.stop();
    for (const push of pushes) await push.end();
    await service.stop();
  }
}

async function usedWhile(service: ServiceProcess, seconds: number) {
  const now = () => {
    const own = cpuSeconds(service.pid);
    return { own, children: cpuSeconds(service.pid, { withChildren: true }) - own };
  };
  const before = now();
  const beganAt = performance.now();
  await Bun.sleep(seconds * 1_000);
  const after = now();
  const passed = (performance.now() - beganAt) / 1_000;
  return {
    serviceCores: (after.own - before.own) / passed,
    ladderCores: (after.children - before.children) / passed,
  };
}

async function missingParts(service: ServiceProcess): Promise<number> {
  const { text } = await service.call('GET', '/metrics');
  return Number(/^footlight_ladder_missing_parts_total (\d+)$/m.exec(text)?.[1]);
}

/** The same made by ffmpeg, a process for each: one decoder, one thread, the same preset and rates. */
async function ffmpegRound({ sizes, clipFile, pushes }: Place): Promise<number> {
  const splits = rungs.map((_, n) => `[in${n}]`).join('');
  const scales = rungs.map(({ size }, n) => `[in${n}]scale=${size}:flags=bilinear[out${n}]`);
  const x264 = ['-c:v', 'libx264', '-preset', 'superfast', '-tune', 'zerolatency', '-crf', '23'];
  const outputs = rungs.flatMap(({ bits }, n) => [
    ...['-map', `[out${n}]`, ...x264, '-maxrate', bits, '-bufsize', bits, '-threads', '1'],
    ...['-g', '60', '-f', 'null', '-'],
  ]);
  const command = [
    ...['ffmpeg', '-v', 'error', '-nostdin', '-threads', '1', '-filter_complex_threads', '1'],
    ...['-re', '-stream_loop', '-1', '-i', clipFile],
    ...['-filter_complex', `[0:v]split=${rungs.length}${splits};${scales.join(';')}`, ...outputs],
  ];
  const children = Array.from({ length: pushes }, () => Bun.spawn(command, { stderr: 'inherit' }));
  try {
    await Bun.sleep(sizes.warmUpSeconds * 1_000);
    const used = () => children.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
    const before = used();
    const beganAt = performance.now();
    await Bun.sleep(sizes.measuredSeconds * 1_000);
    return ((used() - before) * 1_000) / (performance.now() - beganAt);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    for (const child of children) await child.exited;
  }
}
