// What the video element plays: the live stream or a recording, opened again when it fails.
import type { CaptionTrack } from '../page-data.ts';
import { BackOff } from './back-off.ts';
import { isStill, type Rung } from './rungs.ts';
import { ShowPast } from './show-past.ts';
import { StallWatch } from './stall-watch.ts';
import {
  canPlayStreams,
  castSource,
  leavingSeconds,
  openStream,
  type Source,
  type Stream,
  type StreamKind,
} from './stream.ts';

export type Playback = 'idle' | 'loading' | 'playing' | 'paused' | 'stalled' | 'failed';

type Captions = readonly CaptionTrack[];
const noCaptions: Captions = [];

interface Beginning {
  atSeconds: number;
  atDate?: number | undefined;
  plays: boolean;
}

/** Where one stands and where one may go, in seconds. */
export interface Stretch {
  from: number;
  at: number;
  to: number;
  /** They count from the beginning; else all that is there is the last seconds of something. */
  isCounted: boolean;
}

const waits = { waitMsMin: 300, firstMsMax: 1_000, waitMsMax: 5_000, settledMs: 10_000 };
/** So many tries in a row came to nothing: the viewer is told. Live it goes on trying, a video rests. */
const failuresToTell = 3;
/** A live stream paused for longer loads no more: it would load in vain, ten times a second. */
const pauseMsMax = 10_000;
const checkEveryMs = 1_000;
/** With less than that behind oneself there is nothing to go back to. */
const pastSecondsMin = 8;
/** Of a live stream so much is listed for as long as anybody stays there: its list has twelve seconds. */
const windowSeconds = 10;
/** The list of a show that is on ends so far behind the live edge: its pieces are long, and it is loaded when one is whole. */
const listLagSeconds = 20;
/** Who goes so near to the live edge goes to it. */
const edgeSeconds = 3;

export class Player {
  readonly media: HTMLVideoElement;
  /** Else only files are ever played. */
  readonly canPlayStreams: boolean;
  private readonly onChange: () => void;

  private readonly backOff = new BackOff(waits);
  private readonly stalls = new StallWatch();
  private source: Source | undefined;
  /** The playlist of what is live, and what there is of the show before that. */
  private live: { address: string; past: ShowPast } | undefined;
  private stream: Stream | undefined;
  /** Nothing is loaded until it is played again. */
  private isResting = false;
  /** It has failed too often, and has not played since. */
  private isFailing = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** The size that the viewer wants, by the shorter side of the picture; undefined: what the line carries. */
  private wanted: number | undefined;
  private videoSpeed = 1;
  /** Of the video that was shown last. */
  private videoCaptions = noCaptions;
  /** It is for another screen. */
  private isCast = false;
  /** Since when a live stream has been paused. */
  private pausedAt: number | undefined;
  /** The silence is nobody's wish: the page begins with it, or the browser wanted it. */
  private isHushed: boolean;

  /** `onChange`: what `kind` or `playback` say may be something else now. */
  constructor(media: HTMLVideoElement, onChange: () => void) {
    this.media = media;
    this.canPlayStreams = canPlayStreams(media);
    this.onChange = onChange;
    this.isHushed = media.muted;
    media.addEventListener('volumechange', () => {
      this.isHushed &&= media.muted;
    });
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

  /** Undefined where there is one place to be. */
  get stretch(): Stretch | undefined {
    const { media, kind, live, stream } = this;
    const at = media.currentTime;
    if (kind === 'video' || kind === 'file')
      return Number.isFinite(media.duration)
        ? { from: 0, at, to: media.duration, isCounted: true }
        : undefined;
    const stretch = live && (this.stretchOfShow(live.past) ?? lastSeconds(stream, at));
    return stretch && stretch.to - stretch.from >= pastSecondsMin ? stretch : undefined;
  }

  /** The same list for as long as the same are to be had. */
  get captions(): Captions {
    return this.kind === 'video' || this.kind === 'file' ? this.videoCaptions : noCaptions;
  }

  /** Seconds behind what is live; 0 there, and where nobody knows. */
  get behind(): number {
    const { kind, stretch } = this;
    const isBehind = kind === 'show' || (kind === 'live' && !this.isAtEdge);
    return isBehind && stretch ? Math.max(0, stretch.to - stretch.at) : 0;
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

  /** One of several sizes has no picture; of a stream in one size it is not known how large that is. */
  get hasSoundAlone(): boolean {
    const { rungs } = this;
    return rungs.length > 1 && rungs.some(({ shortSide }) => shortSide === 0);
  }

  /** What is seen is the black picture beside it. */
  get isWithoutPicture(): boolean {
    return isStill(this.media, this.rungs);
  }

  /** The sound alone is loaded. */
  get isLosingPicture(): boolean {
    const next = this.stream?.nextRung;
    return next !== undefined && this.hasSoundAlone && this.rungs[next]?.shortSide === 0;
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

  /** What another screen could load; undefined where there is nothing such. */
  get castAddress(): string | undefined {
    return this.source && castSource(this.media, this.source)?.address;
  }

  /** Played by the browser itself, as another screen needs it, or as always again; from where it stands. */
  setCast(isCast: boolean): void {
    const { media } = this;
    if (isCast === this.isCast) return;
    this.isCast = isCast;
    media.disableRemotePlayback = !isCast;
    this.open({ atSeconds: media.currentTime, plays: !media.paused });
  }

  /** Begins by itself, muted if the browser wants it so. `list`: of all that is recorded of the show. */
  playLive(playlist: string, list: string): void {
    this.live = { address: playlist, past: new ShowPast(list, this.onChange) };
    this.begin({ address: playlist, kind: 'live' }, { atSeconds: 0, plays: true });
  }

  showVideo(
    playlist: string,
    given: { captions: Captions; atSeconds?: number; plays?: boolean },
  ): void {
    const { captions, atSeconds = 0, plays = false } = given;
    this.videoCaptions = captions;
    this.begin({ address: playlist, kind: 'video' }, { atSeconds, plays });
  }

  /** The show has become this video: goes on in it where it stands, as it is. */
  goOnInVideo(playlist: string): void {
    const { media, shownAt: atDate } = this;
    const beginning = { atSeconds: media.currentTime, atDate, plays: !media.paused };
    // Nobody has written any yet.
    this.videoCaptions = noCaptions;
    this.begin({ address: playlist, kind: 'video' }, beginning);
  }

  /** For browsers that can play no playlist, and videos that have none. */
  showFile(address: string, given: { captions: Captions; atSeconds: number }): void {
    const { captions, atSeconds } = given;
    this.videoCaptions = captions;
    this.begin({ address, kind: 'file' }, { atSeconds, plays: false });
  }

  clear(): void {
    this.close();
    this.source = undefined;
    this.live = undefined;
    this.onChange();
  }

  toggle(): void {
    const { media, kind } = this;
    if (!media.paused) media.pause();
    else if (kind === 'video' || kind === 'file') this.playAloud();
    else this.play();
  }

  /** Whoever asks for a recording hears it, unless they have silenced the player themselves. */
  playAloud(): void {
    if (this.isHushed) this.media.muted = false;
    this.isHushed = false;
    this.play();
  }

  /** Sound without a gesture is refused by browsers, silence seldom; where that is too, the viewer must begin. */
  async play(): Promise<void> {
    try {
      await this.media.play();
    } catch (error) {
      const isRefused = error instanceof DOMException && error.name === 'NotAllowedError';
      // Else another stream took this one's place, or it failed, which is told otherwise.
      if (!isRefused || this.media.muted) return;
      this.isHushed = true;
      this.media.muted = true;
      await this.play();
    }
  }

  goToEdge(): void {
    const { kind, live } = this;
    if (kind === 'show' && live)
      this.begin({ address: live.address, kind: 'live' }, { atSeconds: 0, plays: true });
    else this.stream?.goToEdge();
    this.play();
  }

  /** Somebody looks at the player, and may want to go back in a show that is on. */
  lookBack(): void {
    this.live?.past.ask();
  }

  /** As `stretch` counts. */
  seek(toSeconds: number): void {
    const { media, kind, stretch } = this;
    if (!stretch) return;
    const to = Math.min(stretch.to, Math.max(stretch.from, toSeconds));
    if (kind === 'video' || kind === 'file') media.currentTime = to;
    else this.seekInShow(to, stretch);
  }

  skip(bySeconds: number): void {
    const { stretch } = this;
    if (stretch) this.seek(stretch.at + bySeconds);
  }

  /** A share of it all, 0 to 1. */
  seekShare(share: number): void {
    const { stretch } = this;
    if (stretch) this.seek(stretch.from + (stretch.to - stretch.from) * share);
  }

  private seekInShow(to: number, { at, to: end, isCounted }: Stretch): void {
    const { media, kind, live, stream } = this;
    const isListed = kind === 'show' && to < (stream?.listed?.to ?? end) - 1;
    if (isListed) media.currentTime = to;
    else if (end - to < edgeSeconds || kind === 'show') this.goToEdge();
    // What the live stream still has is there at once.
    else if (!stream?.goBack(media.currentTime + to - at) && live && isCounted) {
      const atSeconds = Math.max(0, Math.min(to, end - listLagSeconds));
      this.begin({ address: live.past.address, kind: 'show' }, { atSeconds, plays: !media.paused });
    }
    this.onChange();
  }

  private stretchOfShow({ time }: ShowPast): Stretch | undefined {
    const { media, kind, shownAt, isAtEdge } = this;
    const nowMs = performance.now();
    const length = time.lengthAt(nowMs);
    if (length === undefined) return undefined;
    const shown = shownAt === undefined ? undefined : time.secondsAt(shownAt);
    const at = kind === 'show' ? media.currentTime : isAtEdge ? length : (shown ?? length);
    return { from: 0, at, to: Math.max(at, length), isCounted: true };
  }

  /** What is played tells how long the show is by now. */
  private learnTime(): void {
    const { kind, live, stream, shownAt, isAtEdge } = this;
    const nowMs = performance.now();
    const { endsAt, to = 0 } = stream?.listed ?? {};
    if (kind === 'live' && isAtEdge && shownAt !== undefined)
      live?.past.time.showsLive(shownAt, nowMs);
    if (kind === 'show' && endsAt !== undefined)
      live?.past.time.lists({ mediaMs: to * 1000, dateMs: endsAt }, nowMs);
  }

  private begin(source: Source, how: Beginning): void {
    if (source.kind !== 'file' && !this.canPlayStreams) return;
    this.source = source;
    this.backOff.forget();
    this.isFailing = false;
    this.pausedAt = undefined;
    this.open(how);
  }

  private open({ atSeconds, atDate, plays }: Beginning): void {
    const { media, wanted, onChange } = this;
    const cast = this.isCast && this.source ? castSource(media, this.source) : undefined;
    const source = cast ?? this.source;
    this.close();
    if (!source) return;
    const onFailed = () => this.failed();
    this.applySpeed();
    const told = { onFailed, onRungs: onChange };
    const isNative = cast !== undefined;
    const where = { atSeconds, atDate };
    this.stream = openStream({ media, ...source, isNative, ...where, wanted, ...told });
    if (plays) this.play();
    this.onChange();
  }

  private applySpeed(): void {
    const { media, kind } = this;
    const speed = kind === 'live' || kind === 'show' ? 1 : this.videoSpeed;
    // What is loaded anew begins with it.
    media.defaultPlaybackRate = speed;
    // Live it is for who holds it at the edge.
    if (kind !== 'live') media.playbackRate = speed;
  }

  private began(): void {
    this.backOff.began(performance.now());
    this.isFailing = false;
    this.lookBack();
  }

  private failed(): void {
    const { media } = this;
    const waitMs = this.backOff.failed(performance.now());
    this.isFailing ||= this.backOff.triesFailed >= failuresToTell;
    // What is recorded cannot be had any more; what is live may be.
    if (this.isFailing && this.kind === 'show') {
      this.goToEdge();
      return;
    }
    this.isResting = this.isFailing && !this.isOn;
    clearTimeout(this.retry);
    const again = () => this.open({ atSeconds: media.currentTime, plays: !media.paused });
    if (!this.isResting) this.retry = setTimeout(again, waitMs);
    this.onChange();
  }

  private check(): void {
    const { media } = this;
    const isOn = this.isOn && !media.ended;
    this.learnTime();
    const nowMs = performance.now();
    const shouldMove = isOn && !media.paused;
    // A service that was gone comes back with another stream, which is not found from the middle of the old one.
    if (this.stalls.add({ nowMs, position: media.currentTime, shouldMove })) this.stalled();
    // Checked, because no event tells it where the browser has never let it play.
    this.pausedAt = isOn && media.paused ? (this.pausedAt ?? nowMs) : undefined;
    if (nowMs - (this.pausedAt ?? nowMs) >= pauseMsMax && !this.isResting) this.rest();
  }

  private stalled(): void {
    const { media, kind, stream } = this;
    // Nothing is recorded any more, as of a disk that is full.
    const isAtEnd = kind === 'show' && media.currentTime > (stream?.listed?.to ?? 0) - edgeSeconds;
    if (isAtEnd) this.goToEdge();
    else this.failed();
  }

  /** What is played goes on growing. */
  private get isOn(): boolean {
    return this.kind === 'live' || this.kind === 'show';
  }

  private rest(): void {
    clearTimeout(this.retry);
    this.stream?.rest();
    this.isResting = true;
  }

  private resumed(): void {
    // Of a live stream what was loaded before the pause is past: begun anew it is at the live edge at once. A show goes on where it was.
    if (this.isResting) this.open({ atSeconds: this.media.currentTime, plays: true });
  }

  private close(): void {
    clearTimeout(this.retry);
    this.isResting = false;
    this.stream?.close();
    this.stream = undefined;
  }
}

/** Of a live stream of which nothing is recorded. */
function lastSeconds(stream: Stream | undefined, at: number): Stretch | undefined {
  const listed = stream?.listed;
  if (!listed) return undefined;
  const to = Math.max(at, listed.to);
  const from = Math.max(listed.from + leavingSeconds, to - windowSeconds);
  return { from, at, to, isCounted: false };
}
