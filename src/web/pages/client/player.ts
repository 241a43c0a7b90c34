// What the video element plays: the live stream or a recording, opened again when it fails.
import { BackOff } from './back-off.ts';
import type { Rung } from './rungs.ts';
import { StallWatch } from './stall-watch.ts';
import { canPlayStreams, openStream, type Stream, type StreamKind } from './stream.ts';

export type Playback = 'idle' | 'loading' | 'playing' | 'paused' | 'stalled' | 'failed';

interface Source {
  address: string;
  kind: StreamKind;
}

interface Beginning {
  atSeconds: number;
  plays: boolean;
}

const waits = { waitMsMin: 300, firstMsMax: 1_000, waitMsMax: 5_000, settledMs: 10_000 };
/** So many tries in a row came to nothing: the viewer is told. Live it goes on trying, a video rests. */
const failuresToTell = 3;
/** A live stream paused for longer loads no more: it would load in vain, ten times a second. */
const pauseMsMax = 10_000;
const checkEveryMs = 1_000;

export class Player {
  readonly media: HTMLVideoElement;
  /** Else only files are ever played. */
  readonly canPlayStreams: boolean;
  private readonly onChange: () => void;

  private readonly backOff = new BackOff(waits);
  private readonly stalls = new StallWatch();
  private source: Source | undefined;
  private stream: Stream | undefined;
  /** Nothing is loaded until it is played again. */
  private isResting = false;
  /** It has failed too often, and has not played since. */
  private isFailing = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** The size that the viewer wants, by the shorter side of the picture; undefined: what the line carries. */
  private wanted: number | undefined;
  private videoSpeed = 1;
  /** Since when a live stream has been paused. */
  private pausedAt: number | undefined;

  /** `onChange`: what `kind` or `playback` say may be something else now. */
  constructor(media: HTMLVideoElement, onChange: () => void) {
    this.media = media;
    this.canPlayStreams = canPlayStreams(media);
    this.onChange = onChange;
    media.addEventListener('playing', () => this.began());
    media.addEventListener('play', () => this.resumed());
    setInterval(() => this.check(), checkEveryMs);
  }

  get kind(): StreamKind | 'none' {
    return this.source?.kind ?? 'none';
  }

  /** Of its playlist or file; empty where nothing is played. */
  get address(): string {
    return this.source?.address ?? '';
  }

  get playback(): Playback {
    const { media } = this;
    const isReady = media.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (!this.source) return 'idle';
    if (!isReady && this.isFailing) return 'failed';
    if (media.paused) return 'paused';
    if (isReady) return 'playing';
    return media.played.length === 0 ? 'loading' : 'stalled';
  }

  get isAtEdge(): boolean {
    return !this.media.paused && !this.isResting && (this.stream?.isAtEdge ?? false);
  }

  /** The date of the picture, epoch milliseconds, where that is known. */
  get shownAt(): number | undefined {
    return this.stream?.shownAt;
  }

  /** Seconds that the line takes to bring one second, where that is known. */
  get lineLoad(): number | undefined {
    return this.stream?.lineLoad;
  }

  get rungs(): readonly Rung[] {
    return this.stream?.rungs ?? [];
  }

  /** Which of them is shown, where that is known. */
  get rung(): number | undefined {
    return this.stream?.rung;
  }

  /** For this stream and those that follow; as `Stream.choose`. */
  choose(wanted: number | undefined): void {
    this.wanted = wanted;
    this.stream?.choose(wanted);
  }

  get speed(): number {
    return this.videoSpeed;
  }

  /** Of videos; a live stream goes with the show. Browsers keep the pitch. */
  set speed(speed: number) {
    this.videoSpeed = speed;
    this.applySpeed();
  }

  /** Begins by itself, muted if the browser wants it so. */
  playLive(playlist: string): void {
    this.begin({ address: playlist, kind: 'live' }, { atSeconds: 0, plays: true });
  }

  showVideo(playlist: string, { atSeconds = 0, plays = false } = {}): void {
    this.begin({ address: playlist, kind: 'video' }, { atSeconds, plays });
  }

  /** For browsers that can play no playlist, and videos that have none. */
  showFile(address: string, { atSeconds = 0 } = {}): void {
    this.begin({ address, kind: 'file' }, { atSeconds, plays: false });
  }

  clear(): void {
    this.close();
    this.source = undefined;
    this.onChange();
  }

  toggle(): void {
    if (this.media.paused) this.play();
    else this.media.pause();
  }

  /** Sound without a gesture is refused by browsers, silence seldom; where that is too, the viewer must begin. */
  async play(): Promise<void> {
    try {
      await this.media.play();
    } catch (error) {
      const isRefused = error instanceof DOMException && error.name === 'NotAllowedError';
      // Else another stream took this one's place, or it failed, which is told otherwise.
      if (!isRefused || this.media.muted) return;
      this.media.muted = true;
      await this.play();
    }
  }

  goToEdge(): void {
    this.stream?.goToEdge();
    this.play();
  }

  /** In a video; a live stream has one place to be. */
  seek(toSeconds: number): void {
    const { media, kind } = this;
    if (kind === 'live' || !Number.isFinite(media.duration)) return;
    media.currentTime = Math.min(media.duration, Math.max(0, toSeconds));
  }

  private begin(source: Source, how: Beginning): void {
    if (source.kind !== 'file' && !this.canPlayStreams) return;
    this.source = source;
    this.backOff.forget();
    this.isFailing = false;
    this.pausedAt = undefined;
    this.open(how);
  }

  private open({ atSeconds, plays }: Beginning): void {
    const { media, source, wanted, onChange } = this;
    this.close();
    if (!source) return;
    const onFailed = () => this.failed();
    this.applySpeed();
    const told = { onFailed, onRungs: onChange };
    this.stream = openStream({ media, ...source, atSeconds, wanted, ...told });
    if (plays) this.play();
    this.onChange();
  }

  private applySpeed(): void {
    const { media, kind } = this;
    const speed = kind === 'live' ? 1 : this.videoSpeed;
    // What is loaded anew begins with it.
    media.defaultPlaybackRate = speed;
    // Live it is for who holds it at the edge.
    if (kind !== 'live') media.playbackRate = speed;
  }

  private began(): void {
    this.backOff.began(performance.now());
    this.isFailing = false;
  }

  private failed(): void {
    const { media } = this;
    const waitMs = this.backOff.failed(performance.now());
    this.isFailing ||= this.backOff.triesFailed >= failuresToTell;
    this.isResting = this.isFailing && this.kind !== 'live';
    clearTimeout(this.retry);
    const again = () => this.open({ atSeconds: media.currentTime, plays: !media.paused });
    if (!this.isResting) this.retry = setTimeout(again, waitMs);
    this.onChange();
  }

  private check(): void {
    const { media, kind } = this;
    const isOn = kind === 'live' && !media.ended;
    const nowMs = performance.now();
    const shouldMove = isOn && !media.paused;
    // A service that was gone comes back with another stream, which is not found from the middle of the old one.
    if (this.stalls.add({ nowMs, position: media.currentTime, shouldMove })) this.failed();
    // Checked, because no event tells it where the browser has never let it play.
    this.pausedAt = isOn && media.paused ? (this.pausedAt ?? nowMs) : undefined;
    if (nowMs - (this.pausedAt ?? nowMs) >= pauseMsMax && !this.isResting) this.rest();
  }

  private rest(): void {
    clearTimeout(this.retry);
    this.stream?.rest();
    this.isResting = true;
  }

  private resumed(): void {
    // Of a live stream what was loaded before the pause is past: begun anew it is at the live edge at once.
    if (this.isResting) this.open({ atSeconds: this.media.currentTime, plays: true });
  }

  private close(): void {
    clearTimeout(this.retry);
    this.isResting = false;
    this.stream?.close();
    this.stream = undefined;
  }
}
