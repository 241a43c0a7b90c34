// A recording's storyboard as pages read it: which small picture is of when.

export interface SmallPicture {
  /** Of the sheet that it is on. */
  address: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Cue extends SmallPicture {
  /** Seconds. */
  from: number;
  to: number;
}

const cuePattern =
  /^(?:(\d+):)?(\d+):([\d.]+) --> (?:(\d+):)?(\d+):([\d.]+).*\r?\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm;

/** Of a WebVTT file at that address; what is none of ours in it is passed by. */
export function cuesIn(text: string, address: string): Cue[] {
  return [...text.matchAll(cuePattern)].map((found) => {
    const [x = 0, y = 0, width = 0, height = 0] = found.slice(8).map(Number);
    return {
      from: secondsOf(found.slice(1, 4)),
      to: secondsOf(found.slice(4, 7)),
      // Whoever was let in by the address of the list is let in to its sheets.
      address: new URL((found[7] ?? '') + new URL(address).search, address).href,
      x,
      y,
      width,
      height,
    };
  });
}

function secondsOf([hours = '0', minutes, seconds]: (string | undefined)[]): number {
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** Those of the recording that is played; read when somebody first looks. */
export class Storyboard {
  private readonly onRead: () => void;

  private readAddress = '';
  private cues: readonly Cue[] = [];

  /** `onRead`: there are pictures now where there were none. */
  constructor(onRead: () => void) {
    this.onRead = onRead;
  }

  /** Of a recording of ours, by its list of all sizes; another one has none. */
  pictureAt(playlist: string, seconds: number): SmallPicture | undefined {
    if (playlist !== this.readAddress) this.read(playlist);
    return this.cues.find(({ from, to }) => from <= seconds && seconds < to) ?? this.cues.at(-1);
  }

  private async read(playlist: string): Promise<void> {
    this.readAddress = playlist;
    this.cues = [];
    const { href } = new URL(playlist, location.href);
    const address = href.replace(/\/all\.m3u8(?=$|\?)/, '/storyboard.vtt');
    if (address === href) return;
    // Without it there are times alone.
    const text = await fetch(address).then(
      (answer) => (answer.ok ? answer.text() : ''),
      () => '',
    );
    if (playlist !== this.readAddress) return;
    this.cues = cuesIn(text, address);
    this.onRead();
  }
}
