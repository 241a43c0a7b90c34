// Makes hls.js load the sizes of a live stream that RungChooser chooses, in the place of its own choice.
import Hls, {
  type FragLoadEmergencyAbortedData,
  type Fragment,
  type Level,
  type LoaderStats,
  type Part,
} from 'hls.js/light';
import { type Moment, RungChooser } from './rung-chooser.ts';

type AbrController = typeof Hls.DefaultConfig.abrController;

const { Events, ErrorDetails } = Hls;
const lookEveryMs = 50;
/** Where a segment ends is known to the sound's last packet, which may last 85 ms; a part is longer. */
const endToleranceSeconds = 0.12;

/** The sound beside a black picture: hls.js takes no sound alone for a size of a stream that has pictures. */
export function isSoundAlone(playlist: string): boolean {
  return /(^|\/)still\.m3u8(\?|$)/.test(playlist);
}

/** With this the list of a live stream, or that of all sizes of a recording of ours, has that, too. */
export function withSoundAlone(address: string): string {
  const { href } = new URL(address, location.href);
  return `${href}${href.includes('?') ? '&' : '?'}still=1`;
}

export interface LiveRungs {
  /** For hls.js's `abrController`. */
  controller: AbrController;
  /** As RungChooser has it. */
  readonly reserveMs: number;
}

/** `lineBits`: what the line is taken to carry. */
export function liveRungs(lineBits: number): LiveRungs {
  let chooser: RungChooser | undefined;
  const controller = class extends Hls.DefaultConfig.abrController {
    /** What hls.js has begun to load; of its parts it tells of the first alone. */
    private segment: Fragment | undefined;
    private readonly looks = setInterval(() => this.look(), lookEveryMs);

    override get firstAutoLevel(): number {
      return this.level;
    }

    override get nextAutoLevel(): number {
      return this.level;
    }

    /** It is told after errors, and would go up for a gap. */
    override set nextAutoLevel(_: number) {}

    override get forcedAutoLevel(): number {
      return this.level;
    }

    override destroy(): void {
      clearInterval(this.looks);
      super.destroy();
    }

    protected override registerListeners(): void {
      const { hls } = this;
      hls.on(Events.MANIFEST_LOADING, () => {
        chooser = undefined;
      });
      hls.on(Events.LEVELS_UPDATED, () => {
        chooser = undefined;
      });
      hls.on(Events.LEVEL_SWITCHING, (_, { level }) => {
        if (!hls.autoLevelEnabled) chooser?.goOnFrom(level);
      });
      hls.on(Events.FRAG_LOADING, (_, { frag }) => {
        if (frag.sn !== 'initSegment') this.segment = frag;
      });
      hls.on(Events.FRAG_LOADED, (_, { frag, part }) => this.loaded(frag, part));
      // That a segment is whole is often listed later than its last part.
      for (const event of [Events.FRAG_BUFFERED, Events.LEVEL_UPDATED] as const)
        hls.on(event, () => this.considered());
      hls.on(Events.ERROR, (_, { details, frag, errorAction }) => {
        const isGap = details === ErrorDetails.FRAG_GAP;
        const isGivenUp = errorAction?.nextAutoLevel !== undefined;
        if (frag && (isGap || isGivenUp)) chooser?.misses(frag.level, performance.now());
      });
    }

    protected override unregisterListeners(): void {}

    private get level(): number {
      chooser ??= this.hls && chooserFor(this.hls.levels, lineBits);
      return chooser?.rung ?? 0;
    }

    private loaded(frag: Fragment, part: Part | null): void {
      if (frag.sn === 'initSegment') return;
      const { duration, stats } = part ?? frag;
      const { start, first, end } = stats.loading;
      chooser?.loaded({
        nowMs: end,
        rung: frag.level,
        durationMs: duration * 1_000,
        bytes: stats.loaded,
        waitedMs: first - start,
        tookMs: end - first,
      });
    }

    private considered(): void {
      const { hls } = this;
      if (isAtEndOfSegment(hls)) chooser?.next({ nowMs: performance.now(), ...momentOf(hls) });
    }

    /** What is on its way may come too late. */
    private look(): void {
      const { hls, segment: frag } = this;
      const { context, stats } = frag?.loader ?? {};
      if (!hls?.autoLevelEnabled || !chooser || !frag || !context || !stats?.loading.start) return;
      const part = context.part ?? null;
      const { duration, start } = part ?? frag;
      const nowMs = performance.now();
      const isSlow = chooser.loading({
        nowMs,
        rung: frag.level,
        durationMs: duration * 1_000,
        placeMs: (start - frag.start) * 1_000,
        ...progressOf(stats, nowMs),
        aheadMs: aheadMsOf(hls),
      });
      if (isSlow) this.giveUp({ frag, part, stats });
    }

    private giveUp(load: FragLoadEmergencyAbortedData): void {
      const { hls } = this;
      this.segment = undefined;
      // As hls.js does it where a load is too slow.
      hls.nextLoadLevel = this.level;
      load.frag.abortRequests();
      hls.trigger(Events.FRAG_LOAD_EMERGENCY_ABORTED, load);
    }
  };
  return {
    controller,
    get reserveMs() {
      return chooser?.reserveMs ?? 0;
    },
  };
}

function chooserFor(levels: readonly Level[], lineBits: number): RungChooser | undefined {
  const [first] = levels;
  if (!first) return undefined;
  const bits = levels.map(({ averageBitrate }) => averageBitrate);
  return new RungChooser({ bits, hasSound: isSoundAlone(first.uri), lineBits });
}

function progressOf({ loading, loaded, total }: LoaderStats, nowMs: number) {
  const { start, first } = loading;
  const hasBegun = first > 0;
  return {
    bytes: loaded,
    totalBytes: total > 0 ? total : undefined,
    waitedMs: (hasBegun ? first : nowMs) - start,
    tookMs: hasBegun ? nowMs - first : 0,
  };
}

/** What the player still has, at the speed at which it plays. */
export function aheadMsOf({ mainForwardBufferInfo, media }: Hls): number {
  return ((mainForwardBufferInfo?.len ?? 0) * 1_000) / (media?.playbackRate || 1);
}

function endOf({ mainForwardBufferInfo }: Hls): number {
  return mainForwardBufferInfo?.end ?? 0;
}

function momentOf(hls: Hls): Pick<Moment, 'aheadMs' | 'isListed'> {
  const { latestLevelDetails: details, lowLatencyMode } = hls;
  const listedTo = (lowLatencyMode ? details?.partEnd : details?.fragmentEnd) ?? 0;
  const isListed = listedTo > endOf(hls) + endToleranceSeconds;
  return { aheadMs: aheadMsOf(hls), isListed };
}

/** What is loaded ends where another size can go on without anything being loaded twice. */
function isAtEndOfSegment({ mainForwardBufferInfo, latestLevelDetails, lowLatencyMode }: Hls) {
  if (!lowLatencyMode || !mainForwardBufferInfo) return true;
  const { end } = mainForwardBufferInfo;
  return (latestLevelDetails?.fragments ?? []).some(
    (frag) => Math.abs(frag.start + frag.duration - end) < endToleranceSeconds,
  );
}
