// The inside of a load process that counts in its own way: at work, then asked by its bench.

export interface Counting {
  begin(): void;
  end(): Promise<object>;
}

/** Tells the bench when all are at work, and answers each of its words; trouble is an answer too. */
export async function answerBench(start: () => Promise<Counting>): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  await answer(async () => {
    const counting = await start();
    process.on('message', (word) =>
      answer(async () => (word === 'begin' ? counting.begin() : await counting.end())),
    );
  });
}

async function answer(work: () => Promise<unknown>): Promise<void> {
  try {
    process.send?.((await work()) ?? {});
  } catch (error) {
    process.send?.({ problem: (error as Error).message });
  }
}
