// Blocks of sequence numbers whose rows are counted together, and what one transaction changes in those counts.

export type AudienceKind = 'session' | 'visitor';

export const audienceTables = { session: 'sessions', visitor: 'visitors' } as const;

/** What a filter asks for: a session watched for a second (4.6), a visitor for a minute (4.7). */
export const matchingMs = { session: 1_000, visitor: 60_000 } as const;

/** Rows per block of each level; a block holds `blocksPerUpper` blocks of the level below. */
export const blockSizes = { 1: 1_024, 2: 32_768, 3: 1_048_576 } as const;
export type Level = keyof typeof blockSizes;
export const levels: readonly Level[] = [1, 2, 3];
export const topLevel: Level = 3;
/** Few enough that summing them up costs less than reading a page of rows. */
export const blocksPerUpper = 32;

interface Counts {
  rows: number;
  matching: number;
}

/** What is to be added to the counts of one block. */
export interface BlockChange extends Counts {
  kind: AudienceKind;
  level: Level;
  block: number;
}

/** Gathers what one transaction changes, so that each block is written once. */
export class BlockChanges {
  private readonly kind: AudienceKind;

  private readonly changes = new Map<number, Counts>();

  constructor(kind: AudienceKind) {
    this.kind = kind;
  }

  added(seq: number, watchMs: number): void {
    this.change(seq, { rows: 1, matching: this.matches(watchMs) });
  }

  removed(seq: number, watchMs: number): void {
    this.change(seq, { rows: -1, matching: -this.matches(watchMs) });
  }

  /** A row that did not match does from now on. */
  matched(seq: number): void {
    this.change(seq, { rows: 0, matching: 1 });
  }

  /** Of every level; blocks whose counts stay as they are, are not named. */
  perBlock(): BlockChange[] {
    const { kind } = this;
    return levels
      .flatMap((level) =>
        Array.from(this.ofLevel(level), ([block, counts]) => ({ kind, level, block, ...counts })),
      )
      .filter(({ rows, matching }) => rows !== 0 || matching !== 0);
  }

  private matches(watchMs: number): number {
    return watchMs >= matchingMs[this.kind] ? 1 : 0;
  }

  private change(seq: number, counts: Counts): void {
    add(this.changes, Math.floor(seq / blockSizes[1]), counts);
  }

  private ofLevel(level: Level): Map<number, Counts> {
    if (level === 1) return this.changes;
    const upper = new Map<number, Counts>();
    for (const [block, counts] of this.changes) {
      add(upper, Math.floor((block * blockSizes[1]) / blockSizes[level]), counts);
    }
    return upper;
  }
}

function add(map: Map<number, Counts>, key: number, counts: Counts): void {
  const sum = map.get(key) ?? { rows: 0, matching: 0 };
  map.set(key, { rows: sum.rows + counts.rows, matching: sum.matching + counts.matching });
}
