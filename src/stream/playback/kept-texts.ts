// Playlists that are kept made, bounded by their size together; those longest unused leave first.
import type { PlaylistText } from '../../base/api/media-answer.ts';

export class KeptTexts<Text extends PlaylistText> {
  private readonly bytesMax: number;

  private readonly texts = new Map<string, Text>();
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get(name: string): Text | undefined {
    const found = this.texts.get(name);
    if (!found) return undefined;
    this.texts.delete(name);
    this.texts.set(name, found);
    return found;
  }

  set(name: string, made: Text): void {
    // One of the same name counts no more.
    this.remove(name);
    this.texts.set(name, made);
    this.bytes += sizeOf(made);
    for (const oldest of this.texts.keys()) {
      if (this.bytes <= this.bytesMax) return;
      this.remove(oldest);
    }
  }

  private remove(name: string): void {
    const text = this.texts.get(name);
    if (!text) return;
    this.texts.delete(name);
    this.bytes -= sizeOf(text);
  }
}

function sizeOf({ text, gzip }: PlaylistText): number {
  return text.length + gzip.length;
}
