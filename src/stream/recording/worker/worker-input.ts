// What the service writes to a process of its own, which may have ended.

/** To one that has ended nothing can be written, which its end says by itself. Each write may say so at once, or later. */
export async function writeToWorker(
  stdin: Bun.FileSink,
  pieces: readonly (Uint8Array | string)[],
): Promise<void> {
  const writes = pieces.map(async (piece) => await stdin.write(piece));
  const flushed = (async () => await stdin.flush())();
  await Promise.allSettled([...writes, flushed]);
}
