// Every page of viewers, in windows of every size, and every screen of the console, empty, full and in error, on desktop and phone, light and dark, in English and Chinese: judged, and drawn for people to look at.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { drawWhole, troublesOf } from '../test/support/page-judge.ts';
import { goodPassword } from '../test/support/people.ts';
import { demand, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { captionedName, doorKinds } from './support/console-doors.ts';
import { type ConsoleStage, emptyStage, fullStage, type World } from './support/console-stage.ts';
import { nodeAnswers } from './support/node-answers.ts';
import { windowNames } from './support/page-screen.ts';
import { lookAtPages } from './support/page-screens.ts';

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
  /** Without one nothing is drawn. */
  folder?: string;
  world: World;
  /** In which combinations each state is shown. */
  states: Partial<Record<State, readonly Combination[]>>;
  /** Those that are looked at in a state; without a list all of them. */
  only?: Partial<Record<State, readonly string[]>>;
  say: RoundOptions['say'];
}): Promise<{ shown: number; problems: string[] }> {
  const { folder, say, world } = options;
  if (folder) mkdirSync(folder, { recursive: true });
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
        const all = screensOf(stage, state);
        const only = options.only?.[state];
        const screens = Object.entries(all).filter(([name]) => only?.includes(name) ?? true);
        const cookies = await signIn(browser, stage);
        for (const how of shownIn) {
          const words = [state, how.width, how.scheme, how.language];
          const page = await openPage(browser, { state, cookies, ...how });
          for (const [name, path] of screens) {
            const file = folder && join(folder, `${[name, ...words].join('-')}.png`);
            const nodes = nodeAnswers(Date.now())[name];
            if (nodes)
              await page.route('**/manage/v1/nodes', (route) => route.fulfill({ json: nodes }));
            const address = stage.service.url + path;
            const found = await look(page, {
              address,
              file,
              done: state !== 'error' && done[name],
            });
            await page.unrouteAll({ behavior: 'wait' });
            if (state === 'error') await breakAnswers(page);
            problems.push(...found.map((one) => `${[name, ...words].join(' ')}: ${one}`));
            shown += 1;
          }
          await page.context().close();
          say(words.join(' '));
        }
        if (folder && shownIn === combinations)
          for (const [name] of screens) await drawTogether(browser, folder, name, state);
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
  { channel, live, show, viewer, doors }: ConsoleStage,
  state: State,
): Record<string, string> {
  const of = `/console/channels/${channel}`;
  const captioned = `/console/videos?q=${encodeURIComponent(captionedName)}`;
  return {
    channels: '/console/channels',
    control: live === 0 ? of : `/console/channels/${live}`,
    page: `${of}/page`,
    access: `${of}/access`,
    // Full as they were set, empty as they are set.
    ...(state !== 'error' &&
      Object.fromEntries(
        doorKinds.map((kind) => [
          `access-${kind}`,
          `/console/channels/${doors?.[kind] ?? channel}/access`,
        ]),
      )),
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
    ...(state === 'full' && {
      'access-no-codes': `/console/channels/${doors?.['no-codes']}/access`,
      'access-nobody': `/console/channels/${doors?.nobody}/access`,
      'access-wrong': `${of}/access`,
      'access-link': `/console/channels/${doors?.signed}/access`,
      'access-end': `/console/channels/${doors?.password}/access`,
      'access-codes-made': `/console/channels/${doors?.codes}/access`,
      video: captioned,
      'video-access': captioned,
      'video-captions': captioned,
      'video-captions-new': captioned,
      'video-captions-wrong': captioned,
      // One service is on the stage; how several would do is answered for them.
      ...Object.fromEntries(Object.keys(nodeAnswers(0)).map((name) => [name, nodesView])),
    }),
  };
}

type Done = (page: Page) => Promise<unknown>;

/** What is done on a screen before it is looked at, whatever its language. */
const done: Record<string, Done> = {
  ...Object.fromEntries(doorKinds.map((kind) => [`access-${kind}`, chooseKind(kind)])),
  'access-wrong': async (page) => {
    await chooseKind('form')(page);
    await page.locator('.access form button[type="submit"]').click();
    await page.locator('.field-error').first().waitFor();
  },
  'access-link': async (page) => {
    await page.locator('.access select + button').click();
    await page.locator('.access .secret').first().waitFor();
    // It lies over what stands at the end of the page until it goes.
    await page.locator('.toast .only-icon').click();
    await page.locator('.toast').waitFor({ state: 'detached' });
  },
  'access-end': async (page) => {
    await page.locator('.access .form-actions').last().locator('button').last().click();
    await page.locator('dialog').waitFor();
  },
  'access-codes-made': async (page) => {
    await page.locator('.access form button[type="submit"]').last().click();
    await page.locator('dialog textarea').waitFor();
  },
  video: openVideo,
  'video-access': async (page) => {
    await openVideo(page);
    await chooseKind('password')(page);
    await page.locator('.access').evaluate(toTop);
  },
  'video-captions': captionsOf,
  'video-captions-new': async (page) => {
    await captionsOf(page);
    await chooseCaptions(page, 'WEBVTT\n\n00:01.000 --> 00:02.000\nBonsoir\n');
  },
  'video-captions-wrong': async (page) => {
    await captionsOf(page);
    await chooseCaptions(page, 'WEBVTT\n\n00:01.000 --> 00:02.000\n<b>Bonsoir\n');
    await page.locator('.video-captions form button[type="submit"]').click();
    await page.locator('.video-captions .field-error').waitFor();
  },
};

function chooseKind(kind: string): Done {
  return (page) => page.locator(`.access input[value="${kind}"]`).check({ force: true });
}

async function openVideo(page: Page): Promise<void> {
  await page.locator('.video-cell .row-link').first().click();
  await page.locator('.video-captions li').first().waitFor();
  await page.locator('dialog .access').waitFor();
}

async function captionsOf(page: Page): Promise<void> {
  await openVideo(page);
  await page.locator('.video-captions').evaluate(toTop);
}

const toTop = (one: { scrollIntoView(): void }) => one.scrollIntoView();

async function chooseCaptions(page: Page, text: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.locator('.captions-ways button').click();
  const buffer = Buffer.from(text);
  await (await chooser).setFiles({ name: 'keynote.fr.vtt', mimeType: 'text/vtt', buffer });
  await page.locator('.video-captions form').waitFor();
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
    hasTouch: width === 'phone',
    isMobile: width === 'phone',
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

/** What is wrong with a screen; it is drawn into the file, where there is one, in any case. */
async function look(
  page: Page,
  asked: { address: string; file: string | undefined; done: Done | false | undefined },
): Promise<string[]> {
  const troubles: string[] = [];
  const onError = ({ message }: Error) => troubles.push(message);
  page.on('pageerror', onError);
  await page.goto(asked.address);
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  if (asked.done) await asked.done(page);
  const hasTouch = await page.evaluate<boolean>("matchMedia('(hover: none)').matches");
  if (asked.file) await drawWhole(page, { path: asked.file, hasTouch });
  troubles.push(...(await troublesOf(page, { hasTouch })));
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
