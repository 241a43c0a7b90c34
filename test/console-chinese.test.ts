// The console in Debian's Chromium in Chinese: whoever fills in a form wrongly reads why in their own language.
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { invitePerson } from '../src/library/people/console-link-store.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding } from './support/page-judge.ts';
import { goodPassword, signUp } from './support/people.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';

const started: { service?: TestService; browser?: Browser; page?: Page; channel?: number } = {};

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const service = await startTestService(engines[0] as (typeof engines)[number], {
    clock: movingClock(),
  });
  started.service = service;
  const made = await service.call('POST', '/v1/activities', { body: { name: '春季发布会' } });
  started.channel = made.body.id;
  await signUp(service, { user_name: 'liwei' });
  started.browser = await startBrowser();
  const context = await started.browser.newContext({ locale: 'zh-CN' });
  started.page = await context.newPage();
});

afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, service: TestService) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, service } = started;
    if (!page || !service) throw new Error('the browser is not there');
    await run(page, service);
  });
}

test('a password that is too short, in the first form', async (page, service) => {
  const order = { account_id: 1, manager_id: 0, name: '', now: service.clock.now };
  const { secret } = await service.store.perform(invitePerson, order);
  await page.goto(`${service.url}/console/link#${secret}`);
  await page.getByLabel('您的姓名').fill('李伟');
  await page.getByLabel('用户名或邮箱').fill('liwei');
  await page.getByLabel('密码', { exact: true }).fill('short');
  await page.getByRole('button', { name: '加入' }).click();
  await page.getByText('请填写 8 到 200 个字符。', { exact: true }).waitFor();
  expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('password');
  await hasNoFinding(page);
});

test('one that very many people have', async (page) => {
  await page.getByLabel('密码', { exact: true }).fill('password1');
  await page.getByRole('button', { name: '加入' }).click();
  await page.getByText('这个密码太常见，容易被猜到，请换一个。', { exact: true }).waitFor();
});

test('a user name that is taken', async (page) => {
  await page.getByLabel('密码', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: '加入' }).click();
  await page.getByText('"liwei" 已被使用，请换一个。', { exact: true }).waitFor();
  await page.getByText('请检查标出的内容。', { exact: true }).waitFor();
  expect(await page.locator('.doorway').innerText()).not.toMatch(/must|taken/);
  await page.getByLabel('用户名或邮箱').fill('liwei2');
  await page.getByRole('button', { name: '加入' }).click();
  await page.waitForURL('**/console/channels**');
});

test('a colour and an address that are none', async (page, service) => {
  await page.goto(`${service.url}/console/channels/${started.channel}/page`);
  await page.getByLabel('背景颜色').fill('reddish');
  await page
    .getByText('请填写颜色，例如 #fff、#ffffff 或 rgb(255,255,255,1)。', { exact: true })
    .waitFor();
  await page.getByLabel('横幅', { exact: true }).fill('logo.png');
  await page
    .getByText('请填写以 http:、https:、// 或 / 开头的地址，最多 2048 个字符。', { exact: true })
    .waitFor();
  await hasNoFinding(page);
  await page.getByRole('button', { name: '放弃更改' }).click();
});

test('an old password that is wrong', async (page, service) => {
  await page.goto(`${service.url}/console/account/me`);
  await page.getByLabel('旧密码').fill('four green lamps');
  await page.getByLabel('新密码').fill('five green lamps');
  await page.getByRole('button', { name: '保存' }).last().click();
  await page.getByText('旧密码不正确，请重新输入。', { exact: true }).waitFor();
});

test('a name of a manager that is taken', async (page, service) => {
  await service.call('POST', '/manage/v1/managers', { body: { username: '市场部' } });
  await page.goto(`${service.url}/console/account/managers`);
  await page.getByRole('button', { name: '新建频道管理员' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('市场部');
  await dialog.getByRole('button', { name: '保存' }).click();
  await dialog.getByText('"市场部" 已被使用，请换一个。', { exact: true }).waitFor();
});

test('words that are not known here are quoted as English', async (page, service) => {
  const errors = { code: 403002, message: 'It has a new reason', fields: [], request_id: 'r' };
  await page.route('**/v1/activities', (route) => route.fulfill({ status: 403, json: { errors } }));
  await page.goto(`${service.url}/console/channels`);
  await page.getByRole('button', { name: '新建频道' }).click();
  await page.getByLabel('名称', { exact: true }).fill('第二个');
  await page.getByRole('button', { name: '创建频道' }).click();
  const quoted = page.getByRole('alert').locator('q[lang="en"]');
  await quoted.waitFor();
  expect(await quoted.innerText()).toBe('It has a new reason');
  await page.unroute('**/v1/activities');
});
