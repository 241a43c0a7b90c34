// Every page of viewers, in windows of every size, and every screen of the console, empty, full and in error, on desktop and phone, light and dark, in English and Chinese: judged, and drawn for people to look at.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { findingsOf, overEdge } from '../test/support/page-judge.ts';
import { goodPassword } from '../test/support/people.ts';
import { demand, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { type ConsoleStage, emptyStage, fullStage, type World } from './support/console-stage.ts';
import { nodeAnswers } from './support/node-answers.ts';
import { lookAtPages, windowNames } from './support/page-screens.ts';

const widths = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
const schemes = ['light', 'dark'] as const;
const languages = ['en', 'zh'] as const;
const combinations = Object.keys(widths).flatMap((width) =>
  schemes.flatMap((scheme) =>
    languages.map((language) => ({ width: width as keyof typeof widths, scheme, language })),
  ),
);
export type Combination = (typeof combinations)[number];

const states = ['empty', 'full', 'error'] as const;
type State = (typeof states)[number];

export const trial: Trial = {
  sentence:
    'every page of viewers in every size, every screen of the console in every combination, judged by axe and drawn into files',
  rounds: 1,
  run: async ({ say }) => {
    const folder = join(tmpdir(), 'footlight-screens');
    const { shown, problems } = await lookAtScreens({
      folder,
      say,
      world: { channels: 10_000, viewers: 100_000, videos: 3_000 },
      states: { empty: combinations, full: combinations, error: combinations },
    });
    const pages = await lookAtPages({ folder, say, windows: windowNames });
    demand([...pages.problems, ...problems]);
    return { pages: pages.shown, screens: shown, folder };
  },
};

export async function lookAtScreens(options: {
  folder: string;
  world: World;
  /** In which combinations each state is shown. */
  states: Partial<Record<State, readonly Combination[]>>;
  say: RoundOptions['say'];
}): Promise<{ shown: number; problems: string[] }> {
  const { folder, say, world } = options;
  mkdirSync(folder, { recursive: true });
  const browser = await startBrowser();
  const problems: string[] = [];
  let shown = 0;
  try {
    for (const state of states) {
      const shownIn = options.states[state];
      if (!shownIn) continue;
      say(`${state}: making it`);
      const stage = await (state === 'empty' ? emptyStage() : fullStage(world));
      try {
        const screens = screensOf(stage, state);
        const cookies = await signIn(browser, stage);
        for (const how of shownIn) {
          const words = [state, how.width, how.scheme, how.language];
          const page = await openPage(browser, { state, cookies, ...how });
          for (const [name, path] of Object.entries(screens)) {
            const file = join(folder, `${[name, ...words].join('-')}.png`);
            const nodes = nodeAnswers(Date.now())[name];
            if (nodes)
              await page.route('**/manage/v1/nodes', (route) => route.fulfill({ json: nodes }));
            const found = await look(page, { address: stage.service.url + path, file });
            await page.unrouteAll({ behavior: 'wait' });
            if (state === 'error') await breakAnswers(page);
            problems.push(...found.map((one) => `${[name, ...words].join(' ')}: ${one}`));
            shown += 1;
          }
          await page.context().close();
          say(words.join(' '));
        }
        if (shownIn === combinations)
          for (const name of Object.keys(screens)) await drawTogether(browser, folder, name, state);
      } finally {
        await stage.end();
      }
    }
  } finally {
    await browser.close();
  }
  return { shown, problems };
}

/** By name, the address. A screen that needs what an empty service does not have is shown full and in error. */
function screensOf(
  { channel, live, show, viewer }: ConsoleStage,
  state: State,
): Record<string, string> {
  const of = `/console/channels/${channel}`;
  return {
    channels: '/console/channels',
    control: live === 0 ? of : `/console/channels/${live}`,
    page: `${of}/page`,
    shows: `${of}/shows`,
    audience: `${of}/audience`,
    'channel-videos': `${of}/videos`,
    videos: '/console/videos',
    people: '/console/account',
    managers: '/console/account/managers',
    tokens: '/console/account/tokens',
    storage: '/console/account/storage',
    audit: '/console/account/audit',
    nodes: nodesView,
    me: '/console/account/me',
    absent: '/console/nothing-here',
    front: '/',
    ...(state !== 'empty' && {
      'deleted-channels': '/console/channels?state=deleted',
      'deleted-videos': '/console/videos?state=deleted',
      show: `${of}/shows/${show}`,
      'show-narrowed': `${of}/shows/${show}?device=Mac&at=1800`,
      viewer: `${of}/audience/${encodeURIComponent(viewer)}`,
    }),
    // One service is on the stage; how several would do is answered for them.
    ...(state === 'full' &&
      Object.fromEntries(Object.keys(nodeAnswers(0)).map((name) => [name, nodesView]))),
  };
}

const nodesView = '/console/account/nodes';

interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
}

/** By a new link, as a person would; the cookies of the browser that has signed in. */
async function signIn(browser: Browser, { service, link }: ConsoleStage): Promise<Cookie[]> {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('Your name').fill('Li Wei');
  await page.getByLabel('User name or email').fill('liwei');
  await page.getByLabel('Password', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL(/\/console\/channels/);
  const cookies = await context.cookies(service.url);
  await context.close();
  return cookies;
}

async function openPage(
  browser: Browser,
  how: Combination & { state: State; cookies: readonly Cookie[] },
): Promise<Page> {
  const { state, cookies, width, scheme, language } = how;
  const context = await browser.newContext({
    viewport: widths[width],
    colorScheme: scheme,
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  await context.addCookies(cookies);
  const page = await context.newPage();
  if (state === 'error') await breakAnswers(page);
  return page;
}

/** What is wrong with a screen; it is drawn into the file in any case. */
async function look(page: Page, asked: { address: string; file: string }): Promise<string[]> {
  const troubles: string[] = [];
  const onError = ({ message }: Error) => troubles.push(message);
  page.on('pageerror', onError);
  await page.goto(asked.address);
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  troubles.push(...(await findingsOf(page)));
  const over = await overEdge(page);
  if (over > 0) troubles.push(`it is ${over} pixels wider than its window`);
  await page.screenshot({ path: asked.file, fullPage: true, animations: 'disabled' });
  page.off('pageerror', onError);
  return troubles;
}

/** Who one is stays known: otherwise there would be one screen only. */
async function breakAnswers(page: Page): Promise<void> {
  const body = JSON.stringify({ code: 500002, message: 'Internal error' });
  await page.route(/\/(manage\/)?v1\/(?!me\b)/, (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body }),
  );
}

/** All combinations of a screen on two sheets: desktops, and phones. */
async function drawTogether(browser: Browser, folder: string, name: string, state: State) {
  const page = await browser.newPage({ viewport: { width: 2_000, height: 1_000 } });
  for (const sheet of Object.keys(widths)) {
    const drawn = combinations
      .filter(({ width }) => width === sheet)
      .map(async ({ width, scheme, language }) => {
        const file = join(folder, `${[name, state, width, scheme, language].join('-')}.png`);
        const source = Buffer.from(await Bun.file(file).bytes()).toString('base64');
        return `<div class="${width}"><img src="data:image/png;base64,${source}"></div>`;
      });
    await page.setContent(`<style>
      body { margin: 0; display: flex; flex-wrap: wrap; gap: 8px; background: #888 }
      div { overflow: hidden; max-height: 1300px }
      .desktop { width: 990px }
      .phone { width: 490px }
      img { width: 100% }
    </style>${(await Promise.all(drawn)).join('')}`);
    const path = join(folder, `all-${name}-${state}-${sheet}.png`);
    await page.screenshot({ path, fullPage: true });
  }
  await page.close();
}
