// Who may watch, in the console: a person sets it, makes codes and links, and takes them back; judged by axe, on a phone too.
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { register } from '../src/library/admission/registration-store.ts';
import { noChromium } from './support/browser.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { goodPassword, signUp } from './support/people.ts';
import { Theatre } from './support/theatre.ts';

const theatre = new Theatre();

async function signedIn(isPhone: boolean): Promise<Page> {
  const { service } = theatre;
  const user_name = `owner ${crypto.randomUUID()}`;
  await signUp(service, { user_name });
  const context = await theatre.viewer({ isPhone });
  const page = await context.newPage();
  await page.goto(`${service.url}/console/sign-in`);
  await page.getByLabel('User name').fill(user_name);
  await page.locator('input[name="password"]').fill(goodPassword);
  await page.locator('form button[type="submit"]').click();
  await page.waitForURL(/\/console(?:\/channels)?(?:\?.*)?$/);
  return page;
}

testWith(noChromium, 'a person says who may watch, by each kind, and takes it back', async () => {
  const { service } = theatre;
  const { id } = await theatre.newChannel();
  const path = `/manage/v1/channels/${id}/access`;
  const access = async () => (await service.call('GET', path)).body;
  const page = await signedIn(false);
  await page.goto(`${service.url}/console/channels/${id}/access`);
  const choose = (kind: string) => page.getByRole('radio', { name: kind, exact: true }).check();
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  await choose('Password');
  await save();
  await page.locator('.field-error').waitFor();
  await page.locator('input[name="password"]').fill('open sesame');
  await save();
  await page.getByRole('heading', { name: 'Links that play' }).waitFor();
  expect(await access()).toMatchObject({ kind: 'password', has_password: true });
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = page.getByRole('textbox', { name: 'Page', exact: true });
  expect(await link.inputValue()).toContain(`/watch/${id}?pass=p1.`);
  await page.getByText('The link was made').waitFor();
  await hasNoFinding(page);
  await page.getByRole('button', { name: 'Take back', exact: true }).click();
  await link.waitFor({ state: 'detached' });
  expect((await access()).ended_passes).toBe(1);

  await choose('Codes');
  await save();
  await page.getByRole('button', { name: 'Make codes' }).click();
  const codes = page.locator('dialog textarea');
  await codes.waitFor();
  const [code = ''] = (await codes.inputValue()).split('\n');
  expect(code).toMatch(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/);
  await hasNoFinding(page);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  expect(await page.locator('.cards-table tbody tr').count()).toBe(20);
  await page.locator('.cards-table tbody button').first().click();
  await page.locator('.cards-table tbody tr').nth(19).waitFor({ state: 'detached' });

  await choose('List');
  await page.getByLabel('Phone numbers or user names').fill('u-42\n13800000000\n');
  await save();
  await page.getByRole('heading', { name: 'Codes' }).waitFor({ state: 'detached' });
  expect((await access()).list).toEqual(['13800000000', 'u-42']);
});

testWith(noChromium, 'a person asks whoever comes to register, and sees who has', async () => {
  const { service } = theatre;
  const { id } = await theatre.newChannel();
  const path = `/manage/v1/channels/${id}`;
  const page = await signedIn(false);
  await page.goto(`${service.url}/console/channels/${id}/access`);
  await page.getByRole('radio', { name: 'Registration', exact: true }).check();
  const field = (number: number) => page.getByRole('listitem', { name: `Field ${number}` });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  await save();
  await page.locator('.form-fields .field-error').waitFor();
  await hasNoFinding(page);
  await field(1).getByLabel('Text at the field').fill('T-shirt');
  await field(1).getByLabel('What is answered').selectOption('One of several');
  await field(1).getByLabel('Choices').fill('Small\nLarge\n');
  await page.getByRole('button', { name: 'Add a field' }).click();
  await field(2).getByLabel('Text at the field').fill('Your name');
  await page.getByRole('button', { name: 'Move field 2 up' }).click();
  await page.getByRole('button', { name: 'Add a field' }).click();
  await field(3).getByLabel('Text at the field').fill('No more');
  await page.getByRole('button', { name: 'Remove field 3' }).click();
  await save();
  await page.getByText('Nobody has registered yet').waitFor();
  const { body } = await service.call('GET', `${path}/access`);
  expect(body).toMatchObject({
    kind: 'form',
    form: [
      { name: 'your_name', label: 'Your name', kind: 'text', required: true },
      { name: 't_shirt', label: 'T-shirt', kind: 'choice', choices: ['Small', 'Large'] },
    ],
  });
  for (const your_name of ['Li Wei', '<b>Zoë</b> '.repeat(20)])
    await fetch(`${service.url}/watch/${id}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ your_name, t_shirt: 'Large' }),
    });
  await page.reload();
  const rows = page.locator('.cards-table tbody tr');
  await rows.nth(1).waitFor();
  await page.getByText('Registered: 2').waitFor();
  expect(await rows.filter({ hasText: 'Li Wei' }).innerText()).toMatch(/Your name\s+Li Wei/);
  await hasNoFinding(page);
  expect(await overEdge(page)).toBe(0);
  await shoot(page, 'console-form');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`channel-${id}-registrations.csv`);
  await rows.filter({ hasText: 'Li Wei' }).getByRole('button', { name: 'Take back' }).click();
  await rows.filter({ hasText: 'Li Wei' }).getByText('Taken back').waitFor();
  expect((await service.call('GET', `${path}/access`)).body.ended_passes).toBe(1);
  for (let n = 0; n < 50; n += 1)
    await service.store.perform(register, {
      ...{ channel_id: id, thing: `c${id}`, viewer_id: `later ${n}`, id: `later ${n}` },
      ...{ names: ['your_name'], answers: { your_name: `Nobody ${n}` }, now: Date.now() + n },
    });
  await page.reload();
  await page.getByText('Registered: 52').waitFor();
  expect(await rows.count()).toBe(50);
  await page.getByRole('button', { name: 'Next' }).click();
  await rows.filter({ hasText: 'Li Wei' }).waitFor();
  expect(await rows.count()).toBe(2);
  await hasNoFinding(page);
  const phone = await signedIn(true);
  await phone.goto(`${service.url}/console/channels/${id}/access`);
  await phone.locator('.cards-table').waitFor();
  expect(await overEdge(phone)).toBe(0);
  await hasNoFinding(phone);
  await shoot(phone, 'console-form-phone');
});

/** For whoever wants to look at it. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

testWith(noChromium, 'on a phone it is as wide as the phone', async () => {
  const { service } = theatre;
  const { id } = await theatre.newChannel();
  await service.call('PUT', `/manage/v1/channels/${id}/access`, { body: { kind: 'codes' } });
  await service.call('POST', `/manage/v1/channels/${id}/access/codes`, { body: { count: 3 } });
  const page = await signedIn(true);
  await page.goto(`${service.url}/console/channels/${id}/access`);
  await page.locator('.cards-table').waitFor();
  expect(await overEdge(page)).toBe(0);
  await hasNoFinding(page);
  await shoot(page, 'console-codes-phone');
});
