// Which recordings have a size that is still being written beside their source: their jobs wait for it.

export class WrittenSizes {
  /** By recording. */
  private readonly writing = new Map<string, Set<Promise<void>>>();

  /** One is written, until it is called what this answers. */
  begun(recording: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = this.writing.get(recording) ?? new Set();
    this.writing.set(recording, all.add(promise));
    return () => {
      all.delete(promise);
      if (all.size === 0) this.writing.delete(recording);
      resolve();
    };
  }

  /** Resolves when none is written any more: a moment after the push has ended, as what is left of it is still made. */
  async over(recording: string): Promise<void> {
    await Promise.all(this.writing.get(recording) ?? []);
  }
}
