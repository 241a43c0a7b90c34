// Stream, packager and live window of one push in this process; what they make is checked.
import { LiveStream } from '../../src/stream/live/live-stream.ts';
import type { LentPart } from '../../src/stream/packaging/fragment.ts';
import { Segmenter } from '../../src/stream/packaging/segmenter.ts';
import { LiveWindow } from '../../src/stream/playback/live-window.ts';
import { fragmentTracks } from '../../test/support/fragment-tracks.ts';
import { PlaylistChecker } from '../../test/support/playlist-checker.ts';
import { someChannel } from './real-media.ts';

export class SmallRiver {
  private readonly stream = new LiveStream(someChannel, 0);
  private readonly window = new LiveWindow({
    partTargetMs: () => this.segmenter.partTargetMs,
    onEnded: () => {},
  });
  private readonly segmenter = new Segmenter({
    readers: [
      this.window,
      { partAdded: (_, part) => this.checkPart(part), segmentEnded: () => {}, ended: () => {} },
    ],
    firstSequence: 1,
    now: () => 1_700_000_000_000,
  });
  private readonly checker = new PlaylistChecker();
  private parts = 0;

  constructor() {
    this.stream.join(this.segmenter);
  }

  publication() {
    return this.stream.publication({ isHeld: () => true, onMedia() {}, onEnd() {} });
  }

  end(): void {
    this.stream.end('over');
    this.checkPlaylist();
    const [problem] = this.checker.problems;
    if (problem !== undefined) throw new Error(`the playlist: ${problem}`);
  }

  private checkPart({ bytes }: LentPart): void {
    if (fragmentTracks(bytes).length === 0) throw new Error('a part holds nothing');
    this.parts += 1;
    // Every part would cost more than all else.
    if (this.parts % 8 === 0) this.checkPlaylist();
  }

  private checkPlaylist(): void {
    if (this.window.lastSequence !== undefined) this.checker.see(this.window.playlist().text);
  }
}
