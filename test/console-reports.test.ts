// The reports of shows in the console, in Debian's Chromium: a scripted show, whose numbers on the page are the report's.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { forgetOld } from '../src/audience/privacy/retention.ts';
import { ShowSheets } from '../src/audience/reports/show-sheets.ts';
import { startLog } from '../src/base/lib/log.ts';
import { monotonicMs } from '../src/base/lib/time.ts';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { goodPassword } from './support/people.ts';
import type { Json } from './support/service.ts';
import { type Entered, type Stage, startStage } from './support/stage.ts';

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const stepMs = 10_000;
const day = 86_400_000;
const withinMs = 20_000;
/** A picture is looked at in the first seconds. */
const recordedMs = 6_000;

/** From which step to before which each of them watches: three minutes are eighteen steps. */
const scripts = [
  { viewer_id: 'ada', nick: 'Ada', phone: '13800000001', origin: 'direct', from: 0, to: 18 },
  { viewer_id: 'bob', nick: 'Bob', phone: '', origin: 'news.example', from: 0, to: 8 },
  { viewer_id: 'cy', nick: '', phone: '', origin: 'news.example', from: 2, to: 8 },
  { viewer_id: 'dee', nick: '=Dee', phone: '', origin: 'direct', from: 7, to: 16 },
  { viewer_id: 'eve/1 ', nick: '伊芙', phone: '', origin: 'direct', from: 13, to: 18 },
] as const;

const started: { stage?: Stage; browser?: Browser; page?: Page; show?: Json } = {};
/** What the browser complains of, the policy above all. */
const troubles: string[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const stage = await startStage(engines[0] as (typeof engines)[number]);
  started.stage = stage;
  await play(stage);
  await until(async () => stage.push.sentMs() >= recordedMs, { withinMs, otherwise: 'no media' });
  await stage.push.end();
  started.show = await reportOf(stage);
  const { service } = stage;
  const order = { account_id: 1, now: service.clock.now };
  const { secret } = await service.store.perform(makeConsoleLink, order);
  started.browser = await startBrowser();
  const context = await started.browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  started.page = page;
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(`${service.url}/console/link#${secret}`);
  await page.getByLabel('Your name').fill('Li Wei');
  await page.getByLabel('User name or email').fill('liwei');
  await page.getByLabel('Password', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL(/\/console\/channels/);
});

afterAll(async () => {
  await started.browser?.close();
  await started.stage?.end();
});

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, stage: Stage) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, stage } = started;
    if (!page || !stage) throw new Error('the browser is not there');
    await run(page, stage);
  });
}

describe('the report of a show', () => {
  test('is the newest one, and its numbers are those of the interface', async (page, stage) => {
    const { show } = started;
    await page.goto(`${stage.service.url}/console/channels/${stage.channel_id}/shows`);
    await numbersAre(page, show);
    expect(show).toMatchObject({ uv: 5, peak: 4, watch_seconds: 460 });
    expect(await figure(page, 'Total watch time')).toBe('07:40');
    await page.getByText('Mon 4 May, 12:00 to 12:03').waitFor();
    await rowsAre(page, ['Ada', '=Dee', 'Bob', 'Guest', '伊芙']);
  });

  test('is narrowed by a click, says so, and back undoes it', async (page, stage) => {
    const whole = page.url();
    await page.getByRole('link', { name: 'news.example' }).click();
    await page.waitForURL(/source=news\.example/);
    await rowsAre(page, ['Bob', 'Guest']);
    await numbersAre(page, await audienceOf(stage, 'source=news.example'));
    await page.getByRole('link', { name: 'Without: by way of news.example' }).waitFor();
    await page.goBack();
    await rowsAre(page, ['Ada', '=Dee', 'Bob', 'Guest', '伊芙']);
    expect(page.url()).toBe(whole);
    await page.goForward();
    await rowsAre(page, ['Bob', 'Guest']);
    await page.reload();
    await rowsAre(page, ['Bob', 'Guest']);
    await page.getByRole('link', { name: 'Without: by way of news.example' }).click();
    await rowsAre(page, ['Ada', '=Dee', 'Bob', 'Guest', '伊芙']);
  });

  test('shows the picture of a moment, and who left then', async (page) => {
    const slider = page.getByRole('slider', { name: 'Moment of the show' });
    await slider.focus();
    await slider.press('Home');
    await slider.press('ArrowRight');
    await page.waitForURL(/at=10/);
    const plot = page.getByRole('img', { name: /^Curve of the viewers over the show/ });
    const box = await plot.boundingBox();
    if (!box) throw new Error('the curve is not there');
    await page.mouse.click(box.x + 1, box.y + box.height / 2);
    await page.waitForURL(/at=[0-3]$/);
    const picture = page.getByLabel(/^The picture at 00:0/);
    await picture.and(page.locator('[data-state="shows"]')).waitFor();
    const second = await picture.evaluate(
      (video) => (video as unknown as { currentTime: number }).currentTime,
    );
    expect(second).toBeGreaterThanOrEqual(0);
    expect(second).toBeLessThan(4);
    await hasNoFinding(page);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const left = page.locator('.who-left');
    await left.getByText('Bob').waitFor();
    expect(await left.locator('li').count()).toBe(2);
  });

  test('is narrowed to those who left in that minute', async (page, stage) => {
    await page.getByRole('link', { name: 'Only who left then' }).click();
    await page.waitForURL(/left=1/);
    await rowsAre(page, ['Bob', 'Guest']);
    await numbersAre(page, await audienceOf(stage, 'left=1'));
    await page.getByRole('link', { name: 'All viewers' }).click();
    await rowsAre(page, ['Ada', '=Dee', 'Bob', 'Guest', '伊芙']);
    await page.getByRole('link', { name: 'Close this moment' }).click();
  });

  test('is a file, as it is narrowed', async (page, stage) => {
    const files = async (name: string) => {
      const coming = page.waitForEvent('download');
      await page.getByRole('link', { name }).click();
      const file = await coming;
      const text = readFileSync(await file.path(), 'utf8');
      return { name: file.suggestedFilename(), lines: text.trim().split('\r\n') };
    };
    const minutes = await files('Minutes as CSV');
    expect(minutes.name).toBe(`show-${started.show.id}-report.csv`);
    expect(minutes.lines.length).toBe(started.show.minutes.length + 1);
    const bar = page.locator('a.bar', { hasText: 'news.example' });
    await bar.click();
    await rowsAre(page, ['Bob', 'Guest']);
    const people = await files('Viewers as CSV');
    expect(people.lines.slice(1).map((line) => line.split(',')[0])).toEqual(['bob', 'cy']);
    expect(stage.channel_id).toBeGreaterThan(0);
    await bar.click();
    await rowsAre(page, ['Ada', '=Dee', 'Bob', 'Guest', '伊芙']);
  });

  test('fits on paper', async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.setViewportSize({ width: 703, height: 1_032 });
    expect(await overEdge(page)).toBe(0);
    expect(await page.getByRole('link', { name: 'Minutes as CSV' }).isVisible()).toBeFalse();
    const ground = await page.evaluate(
      'getComputedStyle(document.querySelector(".report-numbers")).backgroundColor',
    );
    expect(ground).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await page.setViewportSize(desktop);
  });
});

describe('the audience', () => {
  test('is listed by visitor and by visit', async (page) => {
    await page.getByRole('link', { name: 'Audience' }).click();
    await listIs(page, ['伊芙', '=Dee', 'Guest', 'Bob', 'Ada']);
    await page.getByRole('link', { name: 'Only who watched a minute' }).click();
    await listIs(page, ['=Dee', 'Guest', 'Bob', 'Ada']);
    await page.goBack();
    await page.getByRole('link', { name: /^Visits/ }).click();
    await page.waitForURL(/list=sessions/);
    await listIs(page, ['伊芙', '=Dee', 'Guest', 'Bob', 'Ada']);
  });

  test('is searched by name, phone number and viewer id', async (page) => {
    await page.getByRole('link', { name: /^Visitors/ }).click();
    const box = page.getByRole('searchbox');
    for (const [q, name] of [
      ['dee', '=Dee'],
      ['138000', 'Ada'],
      ['eve/', '伊芙'],
    ] as const) {
      await box.fill(q);
      await listIs(page, [name]);
    }
    await box.fill('nobody at all');
    await page.getByText('Nobody was found for “nobody at all”').waitFor();
    await box.fill('');
    await listIs(page, ['伊芙', '=Dee', 'Guest', 'Bob', 'Ada']);
  });
});

describe('a person', () => {
  test('is reached from the list, and has their visits, words and strips', async (page) => {
    await page.getByRole('link', { name: 'Bob' }).click();
    await page.getByRole('heading', { name: 'Bob' }).waitFor();
    await page.getByText('hello from Bob').waitFor();
    await page.getByRole('img', { name: '01:20 of 03:00' }).waitFor();
    const fill = page.locator('.strip-fill');
    expect(await fill.count()).toBe(1);
    const [track, part] = [
      await page.locator('.strip-track').boundingBox(),
      await fill.boundingBox(),
    ];
    expect((part?.width ?? 0) / (track?.width ?? 1)).toBeCloseTo(80 / 180, 1);
  });

  test('is muted, and that is undone', async (page, stage) => {
    const silences = async () => {
      const path = `/manage/v1/channels/${stage.channel_id}/chat/silences`;
      return (await stage.service.call('GET', path)).body.silences.length;
    };
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('button', { name: 'Let write again' }).waitFor();
    expect(await silences()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Mute' }).waitFor();
    expect(await silences()).toBe(0);
  });

  test('is a file of lines', async (page) => {
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const text = readFileSync(await (await coming).path(), 'utf8');
    const tables = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).table);
    expect(tables).toEqual(['visitors', 'sessions', 'chat_messages']);
  });

  test('is found by whatever id they have', async (page, stage) => {
    await page.goto(`${stage.service.url}/console/channels/${stage.channel_id}/audience`);
    await page.getByRole('link', { name: '伊芙' }).click();
    await page.getByRole('heading', { name: '伊芙' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '伊芙' }).waitFor();
  });
});

describe('every view', () => {
  const views = () => {
    const { stage, show } = started;
    const channel = `/console/channels/${stage?.channel_id}`;
    return [
      `${channel}/audience`,
      `${channel}/audience/bob`,
      `${channel}/audience?list=sessions`,
      `${channel}/shows`,
      `${channel}/shows/${show.id}?left=1&at=70`,
    ];
  };
  for (const [size, viewport] of Object.entries({ desktop, phone }))
    for (const colorScheme of ['light', 'dark'] as const)
      test(`is accessible and within its edges on a ${size}, ${colorScheme}`, async (page, stage) => {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        for (const path of views()) {
          await page.goto(stage.service.url + path);
          await page.locator('main h1').waitFor();
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
          await hasNoFinding(page);
          expect({ path, over: await overEdge(page) }).toEqual({ path, over: 0 });
        }
        await page.setViewportSize(desktop);
      });
});

describe('whoever is erased', () => {
  test('is erased when their name is written, and not before', async (page, stage) => {
    const bob = `/manage/v1/channels/${stage.channel_id}/viewers/bob`;
    await page.goto(`${stage.service.url}/console/channels/${stage.channel_id}/audience/bob`);
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase Bob?' });
    await dialog.getByText('This cannot be undone.').waitFor();
    await dialog.getByLabel('Write “Bob” to erase it').fill('Rob');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await dialog.getByText('This is not what is written above.').waitFor();
    await hasNoFinding(page);
    expect((await stage.service.call('GET', bob)).status).toBe(200);
    await dialog.getByLabel('Write “Bob” to erase it').fill('Bob');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('Bob is erased').waitFor();
    expect((await stage.service.call('GET', bob)).status).toBe(404);
    await listIs(page, ['伊芙', '=Dee', 'Guest', 'Ada']);
  });

  test('is in no number of the report any more', async (page, stage) => {
    await page.goto(`${stage.service.url}/console/channels/${stage.channel_id}/shows`);
    await rowsAre(page, ['Ada', '=Dee', 'Guest', '伊芙']);
    await numbersAre(page, { uv: 4, peak: 3 });
  });
});

describe('who is here', () => {
  test('is muted from the control room, and leads to all that is known of them', async (page, stage) => {
    const { page: fay } = await stage.enter('fay', { ticket: { nick: 'Fay' } });
    await page.goto(`${stage.service.url}/console/channels/${stage.channel_id}`);
    const card = page.getByRole('region', { name: 'Who is here' });
    const chooses = async (word: string) => {
      await card.getByRole('button', { name: 'What to do about Fay' }).click();
      await page.getByRole('menuitem', { name: word }).click();
    };
    await chooses('Mute');
    await card.getByText('muted').waitFor();
    await chooses('Let write again');
    await page.getByText('Fay may write again').waitFor();
    await card.getByText('muted').waitFor({ state: 'detached' });
    await hasNoFinding(page);
    await card.getByRole('link', { name: 'Fay' }).click();
    await page.getByRole('heading', { name: 'Fay' }).waitFor();
    await fay.leave();
  });
});

describe('a show whose records are gone', () => {
  test('offers nothing that only they could tell', async (page, stage) => {
    const { service, channel_id } = stage;
    const log = startLog('silent');
    const sheets = new ShowSheets({ store: service.store, monotonicMs });
    const now = service.clock.now + 10 * day;
    await forgetOld({
      ...{ store: service.store, sheets, log, now: () => now },
      ...{ audienceRetentionDays: 7, ipRetentionDays: 0 },
    });
    await sheets.stop();
    const { id } = started.show;
    await page.goto(`${service.url}/console/channels/${channel_id}/shows/${id}?left=1&at=70`);
    await page.getByText(/^The records of this show were removed/).waitFor();
    await numbersAre(page, { uv: 4, peak: 3 });
    await page.getByRole('region', { name: 'At 01:10' }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    for (const offered of ['Only who left then', 'Viewers as CSV', 'All viewers'])
      expect(await page.getByRole('link', { name: offered }).count()).toBe(0);
    expect(await page.locator('.who-left').count()).toBe(0);
    await page.getByRole('link', { name: 'Minutes as CSV' }).waitFor();
    await hasNoFinding(page);
  });
});

test('the policy had nothing to forbid', async () => {
  expect(troubles.filter((text) => /Content Security|Error:/.test(text))).toEqual([]);
});

async function play(stage: Stage): Promise<void> {
  const there = new Map<(typeof scripts)[number], Entered>();
  for (let step = 0; step < 18; step++) {
    for (const script of scripts) {
      const { viewer_id, nick, phone: number, origin, from } = script;
      const ticket = { nick, phone: number, origin };
      if (from === step) there.set(script, await stage.enter(viewer_id, { ticket }));
    }
    if (step === 3) await said(there.get(scripts[1]), 'hello from Bob');
    stage.pass(stepMs);
    for (const { report } of there.values()) await report(stepMs);
    for (const [script, { page }] of there) {
      if (script.to !== step + 1) continue;
      await page.leave();
      there.delete(script);
    }
  }
  for (const { page } of there.values()) await page.leave();
}

async function said(entered: Entered | undefined, text: string): Promise<void> {
  entered?.page.say({ type: 'chat', text });
  await entered?.page.heard();
}

/** When it is over, counted and recorded. */
async function reportOf({ service, channel_id }: Stage): Promise<Json> {
  let show: Json;
  const isTold = async () => {
    const { body } = await service.call('GET', `/v1/activities/${channel_id}/report`);
    show = body.shows[0];
    return show?.end !== '' && show?.watch_seconds === 460 && show?.recordings.length > 0;
  };
  await until(isTold, { withinMs, otherwise: 'the report is not told' }).catch(() => {});
  expect(show).toMatchObject({ watch_seconds: 460, recordings: [{ show_ms: 0 }] });
  return show;
}

async function audienceOf({ service, channel_id }: Stage, query: string): Promise<Json> {
  const path = `/manage/v1/channels/${channel_id}/shows/${started.show.id}/audience?${query}`;
  return (await service.call('GET', path)).body;
}

async function figure(page: Page, name: string): Promise<string> {
  const one = page.locator('.report-numbers .figure', { hasText: name });
  return await one.locator('dd').innerText();
}

async function numbersAre(page: Page, { uv, peak }: Json): Promise<void> {
  const shows = async () =>
    (await figure(page, 'Viewers')) === String(uv) &&
    (await figure(page, 'Most at once')) === String(peak);
  await until(shows, { withinMs, otherwise: `the page does not say ${uv} and ${peak}` });
}

async function rowsAre(page: Page, names: string[]): Promise<void> {
  await headsAre(page.locator('.people-of-show tbody .row-link'), names);
}

async function listIs(page: Page, names: string[]): Promise<void> {
  await headsAre(page.locator('.audience-list tbody .row-link'), names);
}

async function headsAre(rows: Locator, names: string[]): Promise<void> {
  const seen = async () => (await rows.allInnerTexts()).map((text) => text.trim());
  const isSo = async () => JSON.stringify(await seen()) === JSON.stringify(names);
  await until(isSo, { withinMs, otherwise: '' }).catch(() => {});
  expect(await seen()).toEqual(names);
}
