// What whoever watches a live stream at one node has been told of its numbers, held against what they are told next.
import { expect } from 'bun:test';
import type { LiveWindow } from '../../src/stream/playback/live-window.ts';
import { readMediaPlaylist } from './media-playlist.ts';

interface Shown {
  /** Undefined while it grew. */
  uri: string | undefined;
  parts: readonly string[];
  discontinuity: number;
}

export class ShownNumbers {
  private readonly numbers = new Map<number, Shown>();

  /** `contents`: by name, at whichever node. */
  look(window: LiveWindow, contents: Map<string, string>): void {
    const { text } = window.playlist();
    let breaks: { by: string | undefined; discontinuity: number } | undefined;
    for (const listed of readMediaPlaylist(text).segments) {
      const { sequence, uri, discontinuity, isGap, map, durationMs } = listed;
      const where = `number ${sequence} of\n${text}`;
      const parts = listed.parts.map((part) => part.uri);
      const before = this.numbers.get(sequence) ?? { uri, parts, discontinuity };
      const both = Math.min(parts.length, before.parts.length);
      expect(discontinuity, where).toBe(before.discontinuity);
      expect(parts.slice(0, both), where).toEqual(before.parts.slice(0, both));
      expect(uri ?? before.uri, where).toBe(before.uri ?? uri);
      const longest = parts.length > before.parts.length ? parts : before.parts;
      this.numbers.set(sequence, { uri, parts: longest, discontinuity });
      if (isGap) continue;
      if (breaks && breaks.by !== map) expect(discontinuity, where).not.toBe(breaks.discontinuity);
      breaks = { by: map, discontinuity };
      if (uri === undefined) continue;
      expect(uri, where).toMatch(new RegExp(`^(?:\\d+-)?${sequence}\\.`));
      const held = window.segment(sequence)?.parts ?? [];
      const partsMs = held.reduce((sum, part) => sum + part.durationMs, 0);
      expect(durationMs, where).toBe(partsMs);
      const content = held.map(({ bytes }) => Buffer.from(bytes).toString()).join(' ');
      expect(content, where).toBe(contents.get(uri) ?? content);
      contents.set(uri, content);
    }
  }
}
