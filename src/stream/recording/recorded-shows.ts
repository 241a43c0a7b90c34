// What is recorded so far of each show that is on here: what its viewers may go back to.
import type { LiveChannel } from '../live/live-stream.ts';
import type { NotedStint, RecordingNote } from './recording-folder.ts';

/** A folder among the recordings. */
export interface ShowRecording {
  readonly recording: string;
  /** Nothing more is added to it. */
  isWhole: boolean;
}

export interface RecordedShow {
  readonly channel_id: number;
  readonly account_id: number;
  /** Which show it is: its beginning. */
  readonly show_at: number;
  /** Media of the push before the first of them, in milliseconds. */
  readonly pushed_ms: number;
  /** What the first is of a recording that other nodes have a share in. */
  readonly stint: NotedStint | undefined;
  /** In the order of their media. */
  readonly recordings: ShowRecording[];
}

type PlayedChannel = Pick<LiveChannel, 'play_id'>;

export class RecordedShows {
  /** By play address. */
  private readonly shows = new Map<string, RecordedShow>();

  find(playId: string): RecordedShow | undefined {
    return this.shows.get(playId);
  }

  begun({ play_id }: PlayedChannel, recording: string, note: RecordingNote): void {
    const { channel_id, account_id, show_at = 0, pushed_ms = 0, stint } = note;
    const known = this.shows.get(play_id);
    const begins = { channel_id, account_id, show_at, pushed_ms, stint, recordings: [] };
    const show: RecordedShow = known?.show_at === show_at ? known : begins;
    show.recordings.push({ recording, isWhole: false });
    this.shows.set(play_id, show);
  }

  ended({ play_id }: PlayedChannel, ended: string): void {
    const found = this.find(play_id)?.recordings.find(({ recording }) => recording === ended);
    if (found) found.isWhole = true;
  }

  /** Another node goes on with it, another show begins, or nothing is shown at the address any more. */
  forget(playId: string): void {
    this.shows.delete(playId);
  }
}
