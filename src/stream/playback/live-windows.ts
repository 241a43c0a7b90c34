// The live windows by play address, each for a while after its stream has ended.
import { isDoneWithin } from '../../base/turns/within.ts';
import type { RungName } from '../ladder/ladder-rungs.ts';
import type { Lease } from '../live/push-lease.ts';
import type { PushMemory } from '../live/push-memory.ts';
import { LiveWindow, type LiveWindowOptions } from './live-window.ts';

/** Players read the end of a stream, and drain what they have, within this. */
const keptAfterEndMs = 60_000;

interface AddressWindow {
  readonly window: LiveWindow;
  /** That of the push before, which is shown until this one has its first part. */
  before: LiveWindow | undefined;
  timer: Timer | undefined;
  /** By which this node's own stream begins, though nothing of it may have been shown yet. */
  firstSequence: number | undefined;
}

export type LiveWindowsOptions = Pick<LiveWindowOptions, 'waitersMax' | 'isAllowed'>;

export interface NewWindow {
  memory?: PushMemory | undefined;
  /** Of what players have seen of this push on other nodes. */
  discontinuities?: number | undefined;
  /** Of a stream of this node's own: as `nextSequence` has it. */
  firstSequence?: number | undefined;
}

export interface RungWindow extends Pick<LiveWindowOptions, 'partTargetMs'> {
  name: RungName;
  memory?: PushMemory | undefined;
  onBegun(): void;
}

export class LiveWindows {
  private readonly options: LiveWindowsOptions;

  private readonly windows = new Map<string, AddressWindow>();
  /** Who waits for the beginning of what. */
  private readonly waiting = new Set<{ playId: string; resolve(): void }>();

  constructor(options: LiveWindowsOptions = {}) {
    this.options = options;
  }

  /** Undefined before the first part, and where memory was short. */
  find(playId: string): LiveWindow | undefined {
    const newest = this.newest(playId);
    return newest?.isEmpty ? undefined : newest;
  }

  /** As `find`, when there is something to show at the address, or the time is over. */
  async begun(playId: string, withinMs: number): Promise<LiveWindow | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { playId, resolve };
    this.waiting.add(waiter);
    if (!this.find(playId)) await isDoneWithin(promise, withinMs);
    this.waiting.delete(waiter);
    return this.find(playId);
  }

  /**
   * A push's numbers begin at its epoch second, so that they rise across restarts too; within a second of another push of
   * the channel they go on from there. Those of a push that another node had go on above all that it may have shown:
   * players end in an error where a number comes again. Whoever has followed it until then knows that to one segment;
   * each number that is left out keeps players waiting.
   */
  nextSequence(playId: string, { now, lease }: { now: number; lease: Lease }): number {
    const { before, sequenceMark } = lease;
    const last = this.newest(playId)?.lastSequence ?? 0;
    if (before?.isHandedOver && last >= sequenceMark) return last + 1;
    if (before && last >= before.renewedMark - 1) return Math.max(last + 2, before.renewedMark + 1);
    const above = Math.max(last, sequenceMark) + 1;
    // Where nothing of it is here the one below is listed as missing, so nobody may have shown that either.
    return before ? above + 1 : Math.max(Math.floor(now / 1000), above);
  }

  /**
   * How far the counting at an address has come. The number before the first is gone, too: what a stream has when it
   * ends becomes a segment, so one that has shown nothing yet has used its first number all the same.
   */
  shownAt(playId: string): { lastSequence: number | undefined; discontinuities: number } {
    const newest = this.newest(playId);
    const { firstSequence = 0 } = this.windows.get(playId) ?? {};
    const lastSequence = Math.max(newest?.lastSequence ?? 0, firstSequence - 1);
    return {
      lastSequence: lastSequence > 0 ? lastSequence : undefined,
      // Without the break before what follows, which that has itself.
      discontinuities: Math.max(0, (newest?.discontinuitiesAfter ?? 0) - 1),
    };
  }

  /** The window of a stream that begins now. */
  open(playId: string, partTargetMs: () => number, more: NewWindow = {}): LiveWindow {
    const { memory, discontinuities = 0, firstSequence } = more;
    clearTimeout(this.windows.get(playId)?.timer);
    const before = this.newest(playId);
    const window = new LiveWindow({
      ...this.options,
      partTargetMs,
      ...(memory && { memory }),
      // A player that did not see the end of the push before takes the new one for its continuation.
      discontinuitiesBefore: Math.max(before?.discontinuitiesAfter ?? 0, discontinuities),
      shownBefore: before?.shownTo,
      onBegun: () => {
        known.before?.close();
        known.before = undefined;
        for (const waiter of this.waiting) if (waiter.playId === playId) waiter.resolve();
      },
      onEnded: () => this.close(playId, window),
    });
    const known: AddressWindow = { window, before, timer: undefined, firstSequence };
    this.windows.set(playId, known);
    return window;
  }

  /** That of a push which was shown here before, by another publisher or from another node; where there is none, a new one. */
  goOn(playId: string, partTargetMs: () => number, more: NewWindow = {}): LiveWindow {
    const known = this.windows.get(playId);
    if (!known || known.window.isEmpty || known.window.isOver)
      return this.open(playId, partTargetMs, more);
    clearTimeout(known.timer);
    known.firstSequence = more.firstSequence;
    known.window.goOn({ partTargetMs, ...(more.memory && { memory: more.memory }) });
    return known.window;
  }

  /**
   * Of a smaller size of `source`, from its newest segment on. One that players have seen goes on, whichever node has
   * made it before.
   */
  rungOf(source: LiveWindow, given: RungWindow): LiveWindow {
    const { name, memory, partTargetMs, ...rest } = given;
    const known = source.ladder?.window(name);
    if (known && !known.isEmpty) {
      known.goOn({ partTargetMs, ...(memory && { memory }) });
      return known;
    }
    return new LiveWindow({
      ...this.options,
      ...rest,
      ...(memory && { memory }),
      partTargetMs,
      prefix: `${name}-`,
      discontinuitiesBefore: source.discontinuitiesBeforeNewest,
      shownBefore: known?.shownTo,
      // It goes with the source's.
      onEnded: () => {},
    });
  }

  get playIds(): string[] {
    return [...this.windows.keys()];
  }

  /** Of a channel that is deleted: nothing is shown at its address from now on. */
  forget(playId: string): void {
    const known = this.windows.get(playId);
    if (!known) return;
    clearTimeout(known.timer);
    this.windows.delete(playId);
    for (const gone of [known.window, known.before]) gone?.close();
  }

  /** What they wait for comes on another node: they ask again, and are led there. */
  answerAll(): void {
    for (const { window } of this.windows.values()) window.answerAll();
  }

  /** A stream that has ended can be fetched for as long as the server answers. */
  stop(): void {
    for (const { timer } of this.windows.values()) clearTimeout(timer);
    this.answerAll();
  }

  /** Of which a part was shown. */
  private newest(playId: string): LiveWindow | undefined {
    const known = this.windows.get(playId);
    return known?.before ?? (known?.window.lastSequence === undefined ? undefined : known.window);
  }

  private close(playId: string, window: LiveWindow): void {
    const known = this.windows.get(playId);
    if (known?.window !== window) return;
    clearTimeout(known.timer);
    known.timer = setTimeout(() => this.forget(playId), keptAfterEndMs);
  }
}

type Timer = ReturnType<typeof setTimeout>;
