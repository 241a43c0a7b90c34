// Recordings judged by readers that are not ours: ffprobe and ffmpeg, where they are installed.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './engines.ts';

export const noJudge =
  Bun.which('ffmpeg') && Bun.which('ffprobe') ? undefined : 'it needs ffmpeg and ffprobe';

export interface Judgement {
  /** From the first to the end of the last picture, or of the last sound where there is none. */
  durationMs: number;
  problems: string[];
}

interface ProbedPacket {
  codec_type: 'video' | 'audio';
  dts_time?: string;
  pts_time?: string;
  duration_time?: string;
}

const withinMs = 60_000;
/** Said of what is written to nowhere at a steady rate; the times that were read are judged by `probe`. */
const usual = /^\[null @ |Last message repeated/;

/** ffprobe guesses it where a picture stands a thousand times longer than those before it. */
const ofStandingPictures = /DTS discontinuity/;
const ofLackingPictures = /^\[h264 @ /;

/** What the encoder did that its video shows. */
interface Pushed {
  /** It left pictures out: no decoder can be content. */
  lacksPictures?: boolean;
  /** It had pictures shown at odd times: some stand for seconds. */
  isUneven?: boolean;
}

/**
 * Judges a recording by its playlist. What stands behind each EXT-X-MAP is judged by itself: ffmpeg reads
 * the first init of a playlist only.
 */
export async function judgeVideo(m3u8: string, pushed: Pushed = {}): Promise<Judgement> {
  const file = join(temporaryFolder(), 'section.mp4');
  const judged: Judgement = { durationMs: 0, problems: [] };
  for (const section of await sectionsOf(m3u8)) {
    await writeFile(file, section);
    const { durationMs, problems } = await probe(file, pushed);
    judged.durationMs += durationMs;
    judged.problems.push(...problems, ...(pushed.lacksPictures ? [] : await decode(file)));
  }
  if (judged.durationMs === 0) judged.problems.push('there is nothing to judge');
  await rm(file, { force: true });
  return judged;
}

/** Judges a file that is served whole. */
export async function judgeFile(url: string, pushed: Pushed = {}): Promise<Judgement> {
  const file = join(temporaryFolder(), 'video.mp4');
  await writeFile(file, Buffer.from(await (await fetch(url)).bytes()));
  const judged = await probe(file, pushed);
  if (!pushed.lacksPictures) judged.problems.push(...(await decode(file)));
  await rm(file, { force: true });
  return judged;
}

/** An init and the segments that need it, one after another. */
async function sectionsOf(m3u8: string): Promise<Buffer[]> {
  const text = await (await fetch(m3u8)).text();
  const [, uri = ''] = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(text) ?? [];
  const bytes = Buffer.from(await (await fetch(new URL(uri, m3u8))).bytes());
  const sections: Buffer[][] = [];
  for (const [, tag = '', size, from] of text.matchAll(/^#(.*)BYTERANGE[:=]"?(\d+)@(\d+)/gm)) {
    if (tag.startsWith('EXT-X-MAP')) sections.push([]);
    sections.at(-1)?.push(bytes.subarray(Number(from), Number(from) + Number(size)));
  }
  return sections.map((pieces) => Buffer.concat(pieces));
}

/** Reads every packet; times must be there, rise and never be negative. */
async function probe(
  file: string,
  { lacksPictures = false, isUneven = lacksPictures }: Pushed,
): Promise<Judgement> {
  const entries = 'packet=codec_type,dts_time,pts_time,duration_time';
  // By itself it looks at five seconds, and a picture may stand for longer.
  const whole = ['-v', 'warning', '-analyzeduration', '60M'];
  const said = await run('ffprobe', ...whole, '-show_entries', entries, '-of', 'json', file);
  const { packets = [] } = JSON.parse(said.stdout || '{}') as { packets?: ProbedPacket[] };
  const isOurs = (line: string) =>
    !(lacksPictures && ofLackingPictures.test(line)) &&
    !(isUneven && ofStandingPictures.test(line));
  const lines = said.stderr.split('\n').filter(isOurs);
  const problems = lines.join('') === '' ? [] : [`ffprobe says: ${lines.join('\n')}`];
  if (packets.length === 0) problems.push('ffprobe finds no packet');
  const lengths = (['video', 'audio'] as const).map((kind) =>
    checkTrack(
      packets.filter(({ codec_type }) => codec_type === kind),
      problems,
    ),
  );
  return { durationMs: lengths[0] || lengths[1] || 0, problems };
}

/** Decodes all of it; anything ffmpeg says of it is a problem. */
async function decode(file: string): Promise<string[]> {
  const { stderr } = await run('ffmpeg', '-v', 'error', '-nostdin', '-i', file, '-f', 'null', '-');
  return stderr === '' ? [] : [`ffmpeg says: ${stderr}`];
}

/** Its length. */
function checkTrack(packets: readonly ProbedPacket[], problems: string[]): number {
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { codec_type, dts_time, duration_time } of packets) {
    const dtsMs = ms(dts_time);
    if (!(dtsMs >= lastMs)) problems.push(`${codec_type} goes from ${lastMs} to ${dtsMs} ms`);
    if (ms(duration_time ?? '0') < 0) problems.push(`${codec_type} at ${dtsMs} ms is negative`);
    lastMs = dtsMs;
  }
  const [first, last] = [packets[0], packets.at(-1)];
  if (!first || !last) return 0;
  return ms(last.dts_time) + ms(last.duration_time ?? '0') - ms(first.dts_time);
}

function ms(text: string | undefined): number {
  return Math.round(Number(text) * 1000);
}

async function run(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const child = Bun.spawn(words, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: withinMs,
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const exitCode = await child.exited;
  const said = stderr.split('\n').filter((line) => line !== '' && !usual.test(line));
  if (exitCode !== 0) said.push(`exit code ${exitCode}`);
  return { stdout, stderr: said.join('\n') };
}
