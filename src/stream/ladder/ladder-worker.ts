// The program of a ladder's process: parts of the source on stdin, those of its rungs on stdout.
import { giveWay, goFirst, ladderNiceness } from '../../base/lib/priority.ts';
import { loadTranscoder } from '../recording/worker/transcoder.ts';
import { failureOf } from '../recording/worker/why-failed.ts';
import { type Message, MessageReader, messagePieces } from '../recording/worker/worker-messages.ts';
import { type FromProcess, readTrack, type ToProcess } from './ladder-messages.ts';
import { PartTranscoder } from './part-transcoder.ts';

const out = Bun.stdout.writer();
giveWay(ladderNiceness);
goFirst();
try {
  await run(Number(process.argv[2]));
} catch (error) {
  tell({ kind: 'failed', ...failureOf(error) });
  await told();
}
process.exit(0);

/** Until the service closes stdin, which it keeps open for as long as it wants this process. */
async function run(memoryBytesMax: number): Promise<void> {
  const av = await loadTranscoder();
  const transcoder = new PartTranscoder(av, { memoryBytesMax, tell });
  tell({ kind: 'ready' });
  const waiting: Message<ToProcess>[] = [];
  let isOver = false;
  let wake = () => {};
  const listen = async () => {
    const reader = new MessageReader<ToProcess>();
    for await (const piece of process.stdin) {
      for (const message of reader.push(piece)) {
        // What waits is not begun; what it would be decoded by is still to be known.
        if (message.words.kind === 'rest') keepSources(waiting);
        waiting.push(message);
      }
      wake();
    }
    isOver = true;
    wake();
  };
  const listening = listen();
  for (;;) {
    const message = waiting.shift();
    if (message) await take(transcoder, message);
    else if (isOver) break;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    // What comes meanwhile is read between two parts, and what was made leaves.
    await told();
    await Bun.sleep(0);
  }
  await listening;
}

async function take(
  transcoder: PartTranscoder,
  { words, bytes }: Message<ToProcess>,
): Promise<void> {
  if (words.kind === 'source')
    await transcoder.begin({ ...words, tracks: words.tracks.map(readTrack) });
  else if (words.kind === 'part') {
    const { sequence, at } = words;
    await transcoder.take({ ...words, bytes });
    const { user, system } = process.cpuUsage();
    tell({ kind: 'taken', sequence, at, cpuMs: Math.round((user + system) / 1_000) });
  } else if (words.kind === 'rest') {
    transcoder.rest();
    tell({ kind: 'rested' });
  } else {
    await transcoder.finish();
    tell({ kind: 'ended' });
  }
}

function keepSources(waiting: Message<ToProcess>[]): void {
  const sources = waiting.filter(({ words }) => words.kind === 'source').slice(-1);
  waiting.splice(0, waiting.length, ...sources);
}

function tell(words: FromProcess, bytes?: Uint8Array): void {
  for (const piece of messagePieces(words, bytes)) out.write(piece);
}

async function told(): Promise<void> {
  await out.flush();
}
