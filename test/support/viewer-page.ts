// A viewer in Chromium: opens a watch page as people do, and keeps a diary of what its player really did.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath, pageWaitMs } from './browser.ts';
import { collected } from './service-process.ts';

/** One without `Headless` in it: robots are not viewers. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** A change of the player: whether it plays from here on. */
interface Note {
  at: number;
  isPlaying: boolean;
}

const lookEveryMs = 50;

/**
 * Two witnesses that know nothing of the page's meter: the media's own events, by the clock; and how much of the
 * media was played, by the browser's own account, which shows where a busy machine plays slowly without a word.
 */
const diary = `
  const length = ({ played }) =>
    Array.from({ length: played.length }, (_, at) => played.end(at) - played.start(at)).reduce((a, b) => a + b, 0);
  let [before, now, media] = [0, 0];
  globalThis.mediaSeconds = () => before + Math.max(now, media ? length(media) : 0);
  document.addEventListener('timeupdate', ({ target }) => { media = target; now = length(target); }, true);
  document.addEventListener('emptied', () => { [before, now] = [before + now, 0]; }, true);
  for (const type of ['playing', 'pause', 'waiting', 'ended', 'seeking', 'seeked', 'emptied']) {
    document.addEventListener(type, ({ target: { paused, ended, seeking, readyState } }) => {
      const isPlaying = !paused && !ended && !seeking && readyState > 2;
      note({ at: performance.timeOrigin + performance.now(), isPlaying });
    }, true);
  }`;

/**
 * What the page reports, and what it plays while it has no service to report to, kept by its tab: of a page that is
 * left nobody else hears the last words.
 */
const reports = `
  const { send, close } = WebSocket.prototype;
  const add = (name, more) => { sessionStorage[name] = more + Number(sessionStorage[name] ?? 0); };
  let lostAt = 0;
  const isLost = new WeakSet();
  const lose = (socket) => {
    if (!isLost.has(socket)) lostAt = mediaSeconds();
    isLost.add(socket);
  };
  // Without a network it takes a while until a closed one says that it is.
  WebSocket.prototype.close = function () {
    lose(this);
    close.call(this);
  };
  WebSocket.prototype.send = function (text) {
    const { type, played_ms } = JSON.parse(text);
    if (type === 'report') {
      add('reported', played_ms);
      told(performance.timeOrigin + performance.now());
    }
    if (type === 'hello') {
      this.addEventListener('close', () => lose(this));
      this.addEventListener('message', ({ data }) => {
        if (JSON.parse(data).type === 'welcome') add('unheard', mediaSeconds() - lostAt);
      });
    }
    send.call(this, text);
  };`;

/** Nothing more is told, and what is played from here on is not looked at. */
const silence = `
  WebSocket.prototype.send = () => {};
  const last = mediaSeconds();
  globalThis.mediaSeconds = () => last;`;

/** As on a phone that saves power: nothing plays before it is touched. */
const refusal = `
  HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('', 'NotAllowedError'));`;

/** Cookies of their own: another viewer. */
export async function newViewer(
  browser: Browser,
  { mayPlay = true, isPhone = false, locale = 'en-GB' } = {},
): Promise<BrowserContext> {
  const viewport = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 };
  // What only adorns the page would have it painted sixty times a second.
  const screen = { viewport, hasTouch: isPhone, reducedMotion: 'reduce' as const };
  const context = await browser.newContext({ userAgent, locale, ...screen });
  if (!mayPlay) await context.addInitScript(refusal);
  return context;
}

export interface OrdinaryBrowser {
  context: BrowserContext;
  /** Stands still with all its pages from here on, as if its machine were gone: nobody is told. */
  vanish(): void;
  stop(): Promise<void>;
}

/**
 * Playwright keeps the pages it makes in sight, and only a hidden page can be frozen: this browser is left as it
 * is. It ends with this process at the latest.
 */
export async function startOrdinaryBrowser(folder: string): Promise<OrdinaryBrowser> {
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run'];
  const ways = [
    '--remote-debugging-port=0',
    '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    `--user-data-dir=${folder}`,
    `--user-agent=${userAgent}`,
  ];
  const policy = '--autoplay-policy=no-user-gesture-required';
  const child = Bun.spawn([chromiumPath ?? 'chromium', ...flags, ...ways, policy, 'about:blank'], {
    stdout: 'ignore',
    stderr: 'pipe',
    // A group of its own: a browser is many processes.
    detached: true,
  });
  const end = () => process.kill(-child.pid, 'SIGKILL');
  process.once('exit', end);
  const said = collected(child.stderr);
  await said.holds('DevTools listening on ');
  await said.holds('/devtools/browser/');
  const [address = ''] = /ws:\S+/.exec(said.text()) ?? [];
  const browser = await chromium.connectOverCDP(address, { noDefaults: true, timeout: pageWaitMs });
  const [context] = browser.contexts();
  if (!context) throw new Error('the browser has no window');
  context.setDefaultTimeout(pageWaitMs);
  return {
    context,
    vanish: () => process.kill(-child.pid, 'SIGSTOP'),
    stop: async () => {
      process.kill(-child.pid, 'SIGCONT');
      await browser.close();
      end();
      await child.exited;
      process.off('exit', end);
    },
  };
}

export class ViewerPage {
  readonly page: Page;
  private readonly notes: Note[] = [];
  /** Of the pages that it has left. */
  private mediaSecondsBefore = 0;
  private reportedMs = 0;
  private unheard = 0;
  private lateMs = 0;
  /** What the page's script or its policy complained about. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (line) => {
      if (/Content Security Policy/.test(line.text())) this.complaints.push(line.text());
    });
  }

  static async open(context: BrowserContext, url: string): Promise<ViewerPage> {
    const page = await context.newPage();
    const viewer = new ViewerPage(page);
    await page.exposeFunction('note', (note: Note) => viewer.notes.push(note));
    await page.exposeFunction('told', (at: number) => viewer.told(at));
    await page.addInitScript(diary);
    await page.addInitScript(reports);
    await page.goto(url);
    return viewer;
  }

  /** Waits until the expression is true in the page. `video` is the player's element, as in every page. */
  async holds(expression: string, withinMs = pageWaitMs): Promise<void> {
    const deadline = Date.now() + withinMs;
    // Playwright's own wait is an eval in the page, which the page's policy forbids.
    while (!(await this.page.evaluate(expression))) {
      if (Date.now() > deadline)
        throw new Error(`never came: ${expression}; ${await this.state()}`);
      await Bun.sleep(lookEveryMs);
    }
  }

  async plays(): Promise<void> {
    await this.holds(
      "document.body.dataset.state === 'live' && !video.paused && video.readyState > 2 && video.currentTime > 0",
    );
  }

  /** Resolves when it has played so much of the media, however long a busy machine takes for it. */
  async sees(seconds: number): Promise<void> {
    await this.holds(`mediaSeconds() >= ${seconds}`);
  }

  /** From here on it is another page, or none: whatever played plays no more. */
  async leaves(how: () => Promise<unknown>): Promise<void> {
    this.mediaSecondsBefore += Number(await this.page.evaluate('mediaSeconds()'));
    await this.readReported();
    this.notes.push({ at: Date.now(), isPlaying: false });
    await how();
  }

  /** The same without a word to the service from the last look on, however long a busy machine takes between the two. */
  async vanishes(how: () => Promise<unknown>): Promise<void> {
    await this.page.evaluate(silence);
    await this.leaves(how);
  }

  /** By way of a page without a player, to learn what the last one said when it was left. */
  async closes(): Promise<void> {
    await this.leaves(() => this.page.goto(new URL('/livez', this.page.url()).href));
    await this.readReported();
    await this.page.close();
  }

  /** As browsers do with a page that nobody has looked at for long: it is hidden, then it stands still. */
  async freezes(): Promise<void> {
    const context = this.page.context();
    await (await context.newPage()).bringToFront();
    await this.holds("document.visibilityState === 'hidden'");
    await this.setLife('frozen');
  }

  async thaws(): Promise<void> {
    await this.setLife('active');
    await this.page.bringToFront();
  }

  /** How long it said that it plays, in all the pages that it has left. */
  get playingSeconds(): number {
    const notes = this.notes.toSorted((a, b) => a.at - b.at);
    return notes.reduce((sum, { at, isPlaying }, i) => {
      const endsAt = notes[i + 1]?.at ?? at;
      return isPlaying ? sum + (endsAt - at) / 1000 : sum;
    }, 0);
  }

  /** How much of the media it has played there. */
  get mediaSeconds(): number {
    return this.mediaSecondsBefore;
  }

  /** How long it told the service that it has played. */
  get reportedSeconds(): number {
    return this.reportedMs / 1000;
  }

  /** How much later than they were said its reports may have been heard, in all: one that is heard late loses so much. */
  get lateSeconds(): number {
    return this.lateMs / 1000;
  }

  /** How much of the media it played while no service had let it in. */
  get unheardSeconds(): number {
    return this.unheard;
  }

  /** The service runs in this process, so it hears of it about now, too. */
  private told(at: number): void {
    this.lateMs += Math.max(0, Date.now() - at);
  }

  private async readReported(): Promise<void> {
    this.reportedMs = Number(await this.page.evaluate('sessionStorage.reported ?? 0'));
    this.unheard = Number(await this.page.evaluate('sessionStorage.unheard ?? 0'));
  }

  private async state(): Promise<string> {
    const state = await this.page.evaluate(
      `({ state: document.body.dataset.state, playback: player.dataset.playback, time: video.currentTime })`,
    );
    return JSON.stringify({ ...(state as object), complaints: this.complaints });
  }

  private async setLife(state: 'frozen' | 'active'): Promise<void> {
    const devtools = await this.page.context().newCDPSession(this.page);
    await devtools.send('Page.setWebLifecycleState', { state });
    await devtools.detach();
  }
}
