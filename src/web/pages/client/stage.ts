// What the page is about: it waits, is live, has ended or shows the recording, without ever being loaded anew.
import { offAirState } from '../off-air-state.ts';
import type { WatchData } from '../page-data.ts';
import {
  announce,
  filled,
  findMaybe,
  type PageState,
  pageState,
  setPageState,
} from './page-elements.ts';
import type { Player } from './player.ts';

/** A player that stands still for so long has played out what it had, or never will. */
const stillMsMax = 4_000;
/** The list of a show that is over is there for so long. */
const listedMsMax = 60_000;

interface StageOptions {
  player: Player;
  /** The service's. */
  clock: () => number;
  /** The page is about something else now. */
  onState(): void;
}

export class Stage {
  private readonly data: WatchData;
  private readonly player: Player;
  private readonly clock: () => number;
  private readonly onState: () => void;
  private readonly link = findMaybe('watch-video');

  private isLive = false;
  private hasBeenLive: boolean;
  private startTime: number | null;
  private video: WatchData['video'];
  /** The last video when the show began: another one is this show's. */
  private videoBefore: number | undefined;
  /** Ends the wait for a player that plays out. */
  private playingOut: AbortController | undefined;

  constructor(data: WatchData, { player, clock, onState }: StageOptions) {
    this.data = data;
    this.player = player;
    this.clock = clock;
    this.onState = onState;
    this.hasBeenLive = data.has_been_live;
    this.startTime = data.start_time;
    this.video = data.video;
    this.link?.addEventListener('click', (event) => this.linkClicked(event));
    this.live(data.live);
  }

  live(isLive: boolean): void {
    if (isLive === this.isLive) return;
    this.isLive = isLive;
    this.playingOut?.abort();
    if (isLive) this.goLive();
    else this.playOut();
  }

  /** Another start was set. Whoever watches, live or the recording, is left to it. */
  startsAt(start_time: number | null): void {
    this.startTime = start_time;
    if (this.isOffAir) this.showOffAir();
  }

  /** A push has become this video. */
  videoMade(id: number): void {
    if (id === this.video?.id) return;
    this.video = { id, playlist: filled(this.data.video_playlist, { id }), captions: [] };
    if (this.link) {
      this.link.href = filled(this.data.video_page, { id });
      this.link.hidden = false;
    }
    // A page that slept through the show hears of it by this alone.
    this.hasBeenLive = true;
    if (this.isPlayingOut && this.player.kind === 'show') this.goOnInVideo();
    else if (this.isOffAir && this.showOffAir() === 'ended') this.showVideo();
  }

  private goLive(): void {
    this.hasBeenLive = true;
    this.videoBefore = this.video?.id;
    this.turn('live');
    announce(this.data.texts.now_live);
    this.player.playLive(this.data.playlist, this.data.show_list);
  }

  /** The last seconds are still on their way to the viewer; or what they watch is an hour old, and soon the recording's. */
  private playOut(): void {
    const { media, kind } = this.player;
    const isBehind = kind === 'show';
    if (isBehind && this.hasItsVideo) {
      this.goOnInVideo();
      return;
    }
    if (media.ended || (media.paused && !isBehind)) {
      this.ended();
      return;
    }
    const waiting = new AbortController();
    this.playingOut = waiting;
    const over = () => {
      waiting.abort();
      this.ended();
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const moved = () => {
      clearTimeout(timer);
      timer = setTimeout(over, isBehind ? listedMsMax : stillMsMax);
    };
    const { signal } = waiting;
    media.addEventListener('ended', over, { signal });
    media.addEventListener('timeupdate', moved, { signal });
    signal.addEventListener('abort', () => clearTimeout(timer));
    moved();
  }

  private ended(): void {
    this.player.clear();
    if (this.showOffAir() === 'waiting') return;
    if (this.hasItsVideo) this.showVideo();
    else announce(this.data.texts.now_ended);
  }

  /** The show that is over has become a video. */
  private get hasItsVideo(): boolean {
    return this.video !== null && this.video.id !== this.videoBefore;
  }

  private get isPlayingOut(): boolean {
    return this.playingOut?.signal.aborted === false;
  }

  /** Nobody watches anything here now, live or recorded. */
  private get isOffAir(): boolean {
    const state = pageState();
    return state === 'waiting' || state === 'ended';
  }

  private showOffAir(): 'waiting' | 'ended' {
    const { startTime: start_time, hasBeenLive: has_been_live } = this;
    const state = offAirState({ start_time, has_been_live }, this.clock());
    this.turn(state);
    return state;
  }

  private showVideo(): void {
    if (!this.video) return;
    announce(this.data.texts.now_video);
    // Where it cannot be played, its own page may have another way.
    if (!this.player.canPlayStreams) return;
    this.turn('video');
    const { playlist, captions } = this.video;
    this.player.showVideo(playlist, { captions });
  }

  /** Whoever is behind goes on where they are; it is the recording from now on. */
  private goOnInVideo(): void {
    if (!this.video) return;
    this.playingOut?.abort();
    announce(this.data.texts.now_ended);
    this.turn('video');
    this.player.goOnInVideo(this.video.playlist);
  }

  private turn(state: PageState): void {
    setPageState(state);
    this.onState();
  }

  /** It is played here where it can be; the link is for a tab of its own, and for other sites' videos. */
  private linkClicked(event: MouseEvent): void {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!isPlain || this.isLive || !this.video?.playlist || !this.player.canPlayStreams) return;
    event.preventDefault();
    this.showVideo();
    this.player.playAloud();
  }
}
