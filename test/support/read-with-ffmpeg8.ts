// Reads and decodes what an address plays with FFmpeg 8 (node-av), as a program of its own: ADDRESS [PICTURES].
import { loadTranscoder, packetsOf } from '../../src/stream/recording/worker/transcoder.ts';

/** What it prints, as JSON. */
export interface ReadByFfmpeg8 {
  /** Its version: `8.0.1`. */
  ffmpeg: string;
  /** Decoded pictures and frames of sound. */
  pictures: number;
  sounds: number;
  /** Warnings and errors. */
  words: string[];
}

/** A live stream has no end of its own. */
const [address = '', picturesMax = 'Infinity'] = process.argv.slice(2);
const av = await loadTranscoder();
const words: string[] = [];
av.Log.setLevel(av.AV_LOG_WARNING);
av.Log.setCallback((_, text) => words.push(text.trim()), { maxLevel: av.AV_LOG_WARNING });

const counts = { video: 0, audio: 0 };
{
  await using input = await av.Demuxer.open(address);
  const decoders = new Map<number, { kind: 'video' | 'audio'; decoder: Decoder }>();
  for (const kind of ['video', 'audio'] as const) {
    const stream = kind === 'video' ? input.video() : input.audio();
    if (stream) decoders.set(stream.index, { kind, decoder: await av.Decoder.create(stream) });
  }
  for await (const packet of packetsOf(av, input)) {
    const found = decoders.get(packet.streamIndex);
    if (found) counts[found.kind] += await decoded(found.decoder, packet);
    if (counts.video >= Number(picturesMax)) break;
  }
  for (const { kind, decoder } of decoders.values()) {
    counts[kind] += await decoded(decoder, null);
    decoder[Symbol.dispose]();
  }
}

type Decoder = Awaited<ReturnType<typeof av.Decoder.create>>;

async function decoded(decoder: Decoder, packet: Parameters<Decoder['decodeAll']>[0]) {
  const frames = await decoder.decodeAll(packet);
  for (const frame of frames) frame.free();
  return frames.length;
}

const read: ReadByFfmpeg8 = {
  ffmpeg: av.getFFmpegInfo().version,
  pictures: counts.video,
  sounds: counts.audio,
  words,
};
console.log(JSON.stringify(read));
process.exit(0);
