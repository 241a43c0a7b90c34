// The program that is typed: hands the line, the streams and the environment over.
import { runLine } from './command-line.ts';

// Everything this program makes is for its owner's eyes.
process.umask(0o077);
process.exitCode = await runLine(process.argv.slice(2), {
  environment: process.env,
  out: streamOf(process.stdout),
  err: streamOf(process.stderr),
});

function streamOf(stream: NodeJS.WriteStream) {
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
