// The nodes in the console, in Debian's Chromium: two real services, their link cut, and a service that is alone.
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { nodeAnswers } from '../trial/support/node-answers.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { browserCookies, signUp } from './support/people.ts';
import { startTestService, type TestService } from './support/service.ts';

const started: { nodes?: LinkedServices; browser?: Browser } = {};

beforeAll(async () => {
  if (noChromium !== undefined) return;
  started.nodes = await startLinkedServices(2);
  await started.nodes.linked();
  started.browser = await startBrowser();
});

afterAll(async () => {
  await started.browser?.close();
  await started.nodes?.stop();
});

async function signedIn(service: TestService, user_name = 'liwei'): Promise<Page> {
  const { cookie } = await signUp(service, { user_name });
  const context = await started.browser?.newContext({ locale: 'en-GB' });
  if (!context) throw new Error('the browser is not there');
  await context.addCookies(browserCookies(cookie, service));
  return await context.newPage();
}

testWith(
  noChromium,
  'nodes are shown to who runs them, and a link that is cut is said',
  async () => {
    const [first] = started.nodes?.all ?? [];
    if (!first) throw new Error('no service');
    const page = await signedIn(first.service);
    await page.goto(`${first.service.url}/console/account`);
    await page.getByRole('link', { name: 'Nodes' }).click();
    await page.getByRole('row', { name: /node-1.*answers you now.*running/ }).waitFor();
    await page.getByRole('row', { name: /node-2.*running.*in S3/ }).waitFor();
    expect(await page.getByRole('status').locator('p').count()).toBe(0);
    await hasNoFinding(page);
    for (const { line } of started.nodes?.all ?? []) await line.stop();
    await page.getByText('and the node that answers you have no link').waitFor();
    await page.getByRole('cell', { name: 'no link' }).waitFor();
    await hasNoFinding(page);
  },
);

testWith(noChromium, 'the list has room in a window of any width', async () => {
  const [first] = started.nodes?.all ?? [];
  if (!first) throw new Error('no service');
  const page = await signedIn(first.service, 'another');
  const nodes = nodeAnswers(Date.now())['nodes-ailing'];
  await page.route('**/manage/v1/nodes', (route) => route.fulfill({ json: nodes }));
  await page.goto(`${first.service.url}/console/account/nodes`);
  await page.getByText('node-5').first().waitFor();
  for (const width of [390, 640, 790, 810, 900, 1_024, 1_279, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    expect({ width, over: await overEdge(page) }).toEqual({ width, over: 0 });
  }
});

testWith(noChromium, 'a service that is alone has no part for nodes', async () => {
  const service = await startTestService(engines[0] as (typeof engines)[number], {});
  const page = await signedIn(service);
  const asked = page.waitForResponse('**/manage/v1/nodes');
  await page.goto(`${service.url}/console/account`);
  expect((await (await asked).json()).several).toBe(false);
  await page.getByRole('link', { name: 'Audit log' }).waitFor();
  expect(await page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
  await service.stop();
});
