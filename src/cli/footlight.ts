// The program that is typed: hands the line, the streams and the environment over.
import { runLine } from './line/command-line.ts';
import type { Stream } from './parts/output.ts';

// Everything this program makes is for its owner's eyes.
process.umask(0o077);
process.exitCode = await runLine(process.argv.slice(2), {
  environment: process.env,
  out: streamOf(process.stdout),
  err: forgiving(streamOf(process.stderr)),
});

/** What is said beside fails nobody: a token that was made is printed also where no one reads along. */
function forgiving(stream: Stream): Stream {
  return { ...stream, write: (text) => stream.write(text).catch(() => {}) };
}

function streamOf(stream: NodeJS.WriteStream): Stream {
  // The end of a pipe is told to whoever writes, below; without a listener it would end the process with a trace.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY ?? false,
    columns: stream.columns || 80,
    write: (text: string | Uint8Array) =>
      new Promise<void>((resolve, reject) =>
        stream.write(text, (error) => (error ? reject(error) : resolve())),
      ),
  };
}
