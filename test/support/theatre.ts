// A real service with real pushes, and viewers in Chromium: for tests of what they see, and of what is told of them.
import { afterAll, afterEach, beforeAll } from 'bun:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { noChromium, startBrowser } from './browser.ts';
import { type ClipPush, calmClipFile, startClipPush, testClip } from './clip-push.ts';
import { type Engine, engines, temporaryFolder } from './engines.ts';
import { isLive, type LiveChannel, newLiveChannel, until } from './live-channel.ts';
import { type MovingClock, movingClock, startTestService, type TestService } from './service.ts';
import {
  newViewer,
  type OrdinaryBrowser,
  startOrdinaryBrowser,
  ViewerPage,
} from './viewer-page.ts';

const liveWithinMs = 45_000;
/** How often pages report here: what a show of some beats shows takes seconds. */
export const beatMs = 2_000;

/** Open while the tests of the file run; what one of them begins ends with it. */
export class Theatre {
  private started: { service: TestService; browser: Browser } | undefined;
  /** The service's, which goes with the machine's unless a test lets it run. */
  readonly clock: MovingClock = movingClock();
  readonly pushes: ClipPush[] = [];
  private readonly contexts: BrowserContext[] = [];
  private readonly ordinary: OrdinaryBrowser[] = [];

  constructor() {
    beforeAll(async () => {
      if (noChromium === undefined) await this.start();
    });
    afterEach(async () => {
      for (const context of this.contexts.splice(0)) await context.close();
      for (const browser of this.ordinary.splice(0)) await browser.stop();
      for (const push of this.pushes.splice(0)) await push.end();
    });
    afterAll(async () => {
      await this.started?.browser.close();
      await this.started?.service.stop();
    });
  }

  get service(): TestService {
    return this.running.service;
  }

  newChannel(): Promise<LiveChannel> {
    return newLiveChannel(this.service);
  }

  async live(): Promise<LiveChannel> {
    const channel = await this.newChannel();
    await this.goLive(channel);
    return channel;
  }

  async goLive(channel: LiveChannel): Promise<void> {
    this.pushes.push(await startClipPush(channel.publishUrl, testClip(calmClipFile)));
    await until(() => isLive(this.service, channel.id), {
      withinMs: liveWithinMs,
      otherwise: 'the channel is not live',
    });
  }

  async viewer(options?: Parameters<typeof newViewer>[1]): Promise<BrowserContext> {
    const context = await newViewer(this.running.browser, options);
    this.contexts.push(context);
    return context;
  }

  async ordinaryBrowser(): Promise<OrdinaryBrowser> {
    const browser = await startOrdinaryBrowser(temporaryFolder());
    this.ordinary.push(browser);
    return browser;
  }

  /** Resolves when the service knows of it, so that records stand in the order of opening. */
  async open({ id }: LiveChannel, context: BrowserContext): Promise<ViewerPage> {
    const viewer = await ViewerPage.open(context, `${this.service.url}/watch/${id}`);
    await viewer.holds("document.getElementById('viewers').textContent !== ''");
    return viewer;
  }

  private get running() {
    if (!this.started) throw new Error('the service or the browser did not start');
    return this.started;
  }

  private async start(): Promise<void> {
    const browser = await startBrowser();
    const service = await startTestService(engines[0] as Engine, {
      settings: { MIN_FREE_DISK: '10M', RECORDS_CALLS_PER_DAY: '0' },
      clock: this.clock,
      rounds: { beatMs },
    });
    this.started = { service, browser };
  }
}
