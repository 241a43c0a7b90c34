// The account in the console, in Debian's Chromium: people, managers, tokens, storage, and oneself.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { claimJob, failJob } from '../src/library/jobs/job-store.ts';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { addRecording } from '../src/stream/recording/recording-store.ts';
import { noChromium, pageWaitMs, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { browserCookies, cookieOf, goodPassword } from './support/people.ts';
import { startTestService, type TestService } from './support/service.ts';
import { startReceiver } from './support/webhook-receiver.ts';

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const started: { service?: TestService; browser?: Browser; page?: Page } = {};
/** What the browser complains of, the policy above all. */
const troubles: string[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const engine = engines[0] as (typeof engines)[number];
  const service = await startTestService(engine, {
    settings: { ACCOUNT_DISK: '20G', WEBHOOK_PRIVATE_TARGETS: '127.0.0.1' },
  });
  started.service = service;
  const order = { account_id: 1, now: service.clock.now };
  const { secret } = await service.store.perform(makeConsoleLink, order);
  const body = { link: secret, user_name: 'liwei', name: 'Li Wei', password: goodPassword };
  const reply = await service.call('POST', '/manage/v1/links/use', { token: null, body });
  await recordShow(service);
  started.browser = await startBrowser();
  const context = await started.browser.newContext({ viewport: desktop, locale: 'en-GB' });
  await context.addCookies(browserCookies(cookieOf(reply), service));
  started.page = await context.newPage();
  started.page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  started.page.on('pageerror', (error) => troubles.push(error.message));
});

afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

/** A recording of which one file could not be made. */
async function recordShow({ store, clock, call }: TestService): Promise<void> {
  const { id } = (await call('POST', '/v1/activities', { body: { name: 'Spring launch' } })).body;
  const { now } = clock;
  const times = { show_at: null, show_ms: null, startText: '', start_time: now, end_time: now };
  const size = { video_size: 3_500_000_000, duration: 1, width: 0, height: 0, sameAsSource: [] };
  const whose = { recording: 'a', channel_id: id, account_id: 1, node: 'gone' };
  const jobs = ['mp4'] as const;
  await store.perform(addRecording, { ...whose, ...times, ...size, jobs, now });
  const lease = { node: 'gone', leased_by: 'me', now, lease_until: now + 1 };
  const job = await store.perform(claimJob, lease);
  const failure = { id: job?.id ?? 0, leased_by: 'me', now, isFinal: true };
  await store.perform(failJob, { ...failure, problem: 'The disk was full' });
}

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, service: TestService) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, service } = started;
    if (!page || !service) throw new Error('the browser is not there');
    await run(page, service);
  });
}

/** The menu of a row, and one of its words. */
async function choose(page: Page, of: string, word: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${of}` }).click();
  await page.getByRole('menuitem', { name: word }).click();
}

test('a manager is made, renamed, and that is undone', async (page, service) => {
  await page.goto(`${service.url}/console/channels`);
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Managers' }).click();
  await page.getByText('There are no managers yet').waitFor();
  await page.getByRole('button', { name: 'New manager' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Please fill this in.').waitFor();
  await hasNoFinding(page);
  await page.getByLabel('Name', { exact: true }).fill('anna');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('anna is ready').waitFor();
  await choose(page, 'anna', 'Rename');
  await page.getByLabel('Name', { exact: true }).fill('Anna & co');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Anna & co', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('cell', { name: 'anna', exact: true }).waitFor();
});

test('a manager is removed after a question', async (page) => {
  await page.getByRole('button', { name: 'New manager' }).click();
  await page.getByLabel('Name', { exact: true }).fill('gone soon');
  await page.getByRole('button', { name: 'Save' }).click();
  await choose(page, 'gone soon', 'Remove');
  const question = page.getByRole('dialog', { name: 'Remove the manager gone soon?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await choose(page, 'gone soon', 'Remove');
  await question.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('gone soon is removed').waitFor();
  await page.getByRole('cell', { name: 'gone soon', exact: true }).waitFor({ state: 'detached' });
});

test('the account gets another name, which is undone', async (page, service) => {
  const nameOf = async () => (await service.call('GET', '/manage/v1/account')).body.name;
  await page.getByRole('link', { name: 'People' }).click();
  const field = page.getByLabel('Name of the account');
  const save = page.getByRole('button', { name: 'Save' });
  await field.fill('  ');
  await save.click();
  await page.getByText('Please fill this in.').waitFor();
  await field.fill('Lantern Media');
  await save.click();
  await page.getByText('The account is called Lantern Media now').waitFor();
  expect(await nameOf()).toBe('Lantern Media');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The account is called Lantern Media now').waitFor({ state: 'detached' });
  const isBack = async () => (await field.inputValue()) === 'first' && (await nameOf()) === 'first';
  await until(isBack, { withinMs: pageWaitMs, otherwise: 'the old name is not back' });
});

describe('people', () => {
  test('are invited by a link, which is withdrawn', async (page) => {
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('(you)').waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByLabel('Whom for').fill('Ben');
    await page.getByLabel('Sees').selectOption({ label: 'anna' });
    await page.getByRole('button', { name: 'Make the link' }).click();
    const dialog = page.getByRole('dialog', { name: 'The invitation is ready' });
    const link = dialog.getByRole('textbox', { name: 'Link' });
    expect(await link.inputValue()).toMatch(/\/console\/link#\w+$/);
    await hasNoFinding(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('cell', { name: 'Ben', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('cell', { name: 'Ben', exact: true }).waitFor({ state: 'detached' });
  });

  test('get a link for a new password, and the last one stays', async (page) => {
    await choose(page, 'Li Wei', 'New password by a link');
    const dialog = page.getByRole('dialog', { name: 'The link for a new password is ready' });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await choose(page, 'Li Wei', 'Remove');
    const question = page.getByRole('dialog', { name: 'Remove Li Wei?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(/last person/).waitFor();
  });
});

test('a token is shown once, works, is let do less and is revoked', async (page, service) => {
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('What it is for').fill('the shop');
  await hasNoFinding(page);
  await page.getByRole('button', { name: 'Make the token' }).click();
  const dialog = page.getByRole('dialog', { name: 'The token is ready' });
  const token = await dialog.getByRole('textbox', { name: 'Token' }).inputValue();
  await dialog.getByRole('button', { name: 'I have kept it' }).click();
  const status = async () => (await service.call('GET', '/v1/activities', { token })).status;
  expect(await status()).toBe(200);
  await choose(page, 'the shop', 'Let it do less');
  await page.getByRole('checkbox', { name: /see channels/ }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The token may do less now').waitFor();
  expect(await status()).toBe(403);
  await choose(page, 'the shop', 'Revoke');
  const question = page.getByRole('dialog', { name: 'Revoke “the shop”?' });
  await question.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“the shop” is revoked').waitFor();
  expect(await status()).toBe(401);
});

test('a webhook is made with its secret shown once, tried out, and its log shows what went and came', async (page, service) => {
  const receiver = startReceiver();
  try {
    receiver.answer = () => new Response('not today', { status: 500 });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('There are no webhooks').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill('http://10.0.0.1/');
    await page.getByLabel('What it is for').fill('the shop');
    await page.getByRole('button', { name: 'Make the webhook' }).click();
    await page.getByText('leads to a private address').waitFor();
    await hasNoFinding(page);
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('button', { name: 'Make the webhook' }).click();
    const ready = page.getByRole('dialog', { name: 'The webhook is ready' });
    expect(await ready.getByRole('textbox', { name: 'Secret' }).inputValue()).toStartWith('whsec_');
    await ready.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    const tried = page.getByRole('dialog', { name: 'What came back' });
    await tried.getByText('not today').waitFor();
    await tried.getByText('webhook-signature').waitFor();
    await hasNoFinding(page);
    await tried.getByRole('button', { name: 'Close' }).click();
    receiver.answer = () => new Response('taken');
    await service.call('POST', '/v1/activities', { body: { name: 'told' } });
    await receiver.heard(2);
    await page
      .getByRole('region', { name: 'What happens now' })
      .getByText('channel.created')
      .waitFor();
    await choose(page, 'the shop', 'Log');
    const log = page.getByRole('region', { name: 'Log of the shop' });
    await log.getByRole('cell', { name: 'delivered', exact: true }).waitFor();
    await log.getByRole('button', { name: 'Show: channel.created' }).click();
    const shown = page.getByRole('dialog', { name: 'channel.created' });
    await shown.getByText('taken').waitFor();
    await shown.getByRole('button', { name: 'Send again' }).click();
    await receiver.heard(3);
    await choose(page, 'the shop', 'Switch off');
    await page.getByRole('cell', { name: 'switched off' }).waitFor();
    await hasNoFinding(page);
    expect(await overEdge(page)).toBe(0);
  } finally {
    await receiver.stop();
  }
});

test('storage is told by channel, and a failed job begins again', async (page) => {
  await page.getByRole('link', { name: 'Storage and jobs' }).click();
  await page.getByText('7 GB of 21.5 GB are used.').waitFor();
  await page.getByRole('link', { name: 'Spring launch' }).waitFor();
  await page.getByText('The disk was full').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('cell', { name: 'Waiting' }).waitFor();
  const keeps = page.getByRole('checkbox', { name: 'Keep every show as a video' });
  await keeps.uncheck();
  await page.getByText('Shows are not kept any more').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction('document.querySelector("input[type=checkbox]").checked');
});

test('the secret of watch links is shown to who asks for it, and that is noted', async (page, service) => {
  const noted = async () =>
    (await service.call('GET', '/manage/v1/audit?group=viewers')).body.entries.length;
  const before = await noted();
  await page.getByRole('button', { name: 'Show the secret' }).click();
  const field = page.getByRole('textbox', { name: 'Secret of watch links' });
  await field.waitFor();
  const { secret } = (await service.call('GET', '/manage/v1/viewer-secret')).body;
  expect(await field.inputValue()).toBe(secret);
  expect(await noted()).toBe(before + 2);
});

test('one’s own name and password are changed, and a wrong one ends no session', async (page, service) => {
  await page.getByRole('link', { name: 'Me', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Li Wei 2');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByRole('button', { name: 'Li Wei 2, Your account' }).waitFor();
  await page.getByLabel('Old password').fill('not this one');
  await page.getByLabel('New password').fill('four red curtains');
  await page.getByRole('button', { name: 'Save' }).last().click();
  await page.getByText('The old password is wrong').waitFor();
  await page.getByLabel('Old password').fill(goodPassword);
  await page.getByRole('button', { name: 'Save' }).last().click();
  await page.getByText('The password is changed').waitFor();
  const body = { user_name: 'liwei', password: 'four red curtains' };
  const reply = await service.call('POST', '/manage/v1/sign-in', { token: null, body });
  expect(reply.status).toBe(200);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page
    .getByRole('button', { name: 'Sign out everywhere else' })
    .waitFor({ state: 'detached' });
});

describe('every part', () => {
  const parts = ['', '/managers', '/tokens', '/webhooks', '/storage', '/audit', '/me'];
  for (const [size, viewport] of Object.entries({ desktop, phone }))
    for (const colorScheme of ['light', 'dark'] as const)
      test(`is accessible and within its edges on a ${size}, ${colorScheme}`, async (page, service) => {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        for (const part of parts) {
          await page.goto(`${service.url}/console/account${part}`);
          await page.locator('main h1').waitFor();
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
          await hasNoFinding(page);
          expect({ part, over: await overEdge(page) }).toEqual({ part, over: 0 });
        }
      });

  test('says in Chinese what it says in English', async (page, service) => {
    await page.setViewportSize(phone);
    await page.goto(`${service.url}/console/account/tokens`);
    await page.getByRole('button', { name: /Your account/ }).click();
    await page.getByRole('menuitemradio', { name: '简体中文' }).click();
    await page.getByRole('heading', { name: '账户 · 令牌' }).waitFor();
    expect(await overEdge(page)).toBe(0);
  });
});

describe('the front page', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    test(`is accessible with and without channels, ${colorScheme}`, async (page, service) => {
      await page.emulateMedia({ colorScheme });
      const isPublic = async (value: boolean) => {
        await service.call('PUT', '/v1/activities/1/page', {
          body: { public: value, start_time: '2027-05-01 19:30:00' },
        });
        // What was remembered is old by then.
        service.clock.now += 3_000;
        await page.goto(service.url);
      };
      await isPublic(true);
      await page.locator('a.card').waitFor();
      await hasNoFinding(page);
      await isPublic(false);
      await page
        .getByRole('link', { name: '控制台' })
        .or(page.getByRole('link', { name: 'Console' }))
        .waitFor();
      await hasNoFinding(page);
    });
});

test('the policy had nothing to forbid', async () => {
  expect(troubles.filter((text) => /Content Security|Error:/.test(text))).toEqual([]);
});
