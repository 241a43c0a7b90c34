// The doors of what not everybody may watch, each kind in each state, for looking at them.
import type { Page } from 'playwright-core';
import type { Store } from '../../src/base/db/sql.ts';
import {
  type AdmissionKind,
  channelThing,
  readAdmission,
} from '../../src/library/admission/admission.ts';
import { admissionLimits, triesOfNetwork } from '../../src/library/admission/admission-limits.ts';
import { type AdmissionChange, setAdmission } from '../../src/library/admission/admission-store.ts';
import { type Pass, signPass } from '../../src/library/admission/pass.ts';
import type { FormField } from '../../src/library/admission/registration-form.ts';
import type { TestPages } from '../../test/support/page-server.ts';
import { now, type Screen } from './page-screen.ts';

interface DoorStage {
  store: Store;
  pages: Pick<TestPages, 'url' | 'secret'>;
  /** A new channel, with that page; its id. */
  channel(name: string, page: Record<string, unknown>): Promise<number>;
  /** Pages of channels: with all that one may have, with little, and of the technology edition. */
  brands: Record<'whole' | 'plain' | 'tech', Record<string, unknown>>;
  rightToLeft: string;
}

const owner = { account_id: 1, manager_id: 0 };

const field = (name: string, label: string, more: Partial<FormField> = {}): FormField => ({
  ...{ name, label, kind: 'text', required: true, choices: [] },
  ...more,
});
const form = [
  field('name', 'Your name'),
  field('email', 'Email address', { kind: 'email' }),
  field('phone', 'Phone number', { kind: 'phone', required: false }),
  field('guests', 'How many colleagues watch with you?', { kind: 'number', required: false }),
  field('track', 'Which part are you coming for?', {
    kind: 'choice',
    choices: ['The keynote', 'The workshops'],
  }),
  field('terms', 'I agree that my data is used to organise this event', { kind: 'tick' }),
  field('news', 'Tell me about the next shows', { kind: 'tick', required: false }),
];
const arabicForm = [
  field('name', 'الاسم الكامل'),
  field('email', 'البريد الإلكتروني', { kind: 'email' }),
  field('city', 'المدينة', { kind: 'choice', choices: ['دبي', 'القاهرة'] }),
  field('terms', 'أوافق على الشروط', { kind: 'tick' }),
];

export async function doorScreens(stage: DoorStage): Promise<Record<string, Screen>> {
  const { store, brands, pages, rightToLeft } = stage;
  const door = async (
    kind: AdmissionKind,
    page: Record<string, unknown>,
    more: Partial<AdmissionChange> & { name?: string } = {},
  ) => {
    const { name = 'Spring launch', ...said } = more;
    const id = await stage.channel(name, page);
    const place = { channel_id: id, thing: channelThing(id) };
    const named = { kind: 'channel', id, owner } as const;
    await store.perform(setAdmission, { ...named, rule: { kind }, place, now, ...said });
    return id;
  };
  const password_hash = await Bun.password.hash('open sesame');
  const password = await door('password', brands.whole, { password_hash });
  const codes = await door('codes', brands.plain);
  const list = await door('list', brands.whole, { list: ['u-42'] });
  const signed = await door('signed', brands.whole, { show_cover: false });
  const asked = await door('form', brands.whole, { form });
  const full = await door('form', brands.whole, { form });
  const techForm = await door('form', brands.tech, { form, name: 'Developer day' });
  const tech = await door('codes', brands.tech, { name: 'Developer day' });
  const arabic = await door('form', brands.plain, { form: arabicForm, name: rightToLeft });
  const tried = await door('list', brands.plain);
  await tryTooOften(`${pages.url}/watch/${tried}`);
  await fillUp(store, full);
  const passOf = async (given: Partial<Pass>) => {
    const row = await store.one<{ access: string }>('SELECT access FROM channels WHERE id = $1', [
      password,
    ]);
    const { revision } = readAdmission(row?.access ?? '');
    const of = channelThing(password);
    const pass = { of, revision, mark: 'somebody', expires: now / 1_000 + 60, ...given };
    return `/watch/${password}?pass=${signPass(pages.secret, pass)}`;
  };
  return {
    'door-password': { path: `/watch/${password}` },
    'door-password-wrong': { path: `/m/${password}`, done: typed('let me in') },
    'door-ended': { path: await passOf({ revision: 'of before' }) },
    'door-expired': { path: await passOf({ expires: now / 1_000 - 60 }) },
    'door-codes': { path: `/watch/${codes}` },
    'door-codes-wrong': { path: `/embed/${codes}`, done: typed('ABCDE-FGHJK') },
    'door-tech': { path: `/watch/${tech}`, done: typed('ABCDE-FGHJK') },
    'door-list': { path: `/watch/${list}` },
    'door-list-embed': { path: `/embed/${list}` },
    'door-list-limit': { path: `/watch/${tried}`, done: typed('u-41') },
    'door-signed': { path: `/watch/${signed}` },
    'door-signed-other': { path: `/watch/${signed}?pass=cut` },
    'door-form': { path: `/watch/${asked}` },
    'door-form-wrong': { path: `/watch/${asked}`, done: filledInWrong },
    'door-form-full': { path: `/watch/${full}`, done: register },
    'door-form-taken': { path: `/watch/${asked}`, done: takenBack(store, asked) },
    'door-form-embed': { path: `/embed/${asked}` },
    'door-form-tech': { path: `/watch/${techForm}`, done: filledInWrong },
    'door-right-to-left': { path: `/watch/${arabic}`, done: send },
  };
}

/** Until nothing that comes from here is looked at. */
async function tryTooOften(address: string): Promise<void> {
  for (let tries = 0; tries < triesOfNetwork.atOnce; tries += 1)
    await fetch(address, { method: 'POST', body: new URLSearchParams({ who: `u-${tries}` }) });
}

/** As many have registered as may. */
async function fillUp(store: Store, channel: number): Promise<void> {
  await store.run(
    `INSERT INTO registrations (channel_id, viewer_id, thing, id, names, answers, registered_at)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $3)
     SELECT $1, 'x' || n, $2, 'x' || n, '[]', '{}', 0 FROM numbers`,
    [channel, channelThing(channel), admissionLimits.registrationsMax],
  );
}

const typed = (text: string) => async (page: Page) => {
  await page.locator('#door-field').fill(text);
  await send(page);
};

/** What became of it. */
async function send(page: Page): Promise<void> {
  await page.locator('form button').click();
  await page.locator('#door-word').waitFor();
}

async function fillIn(page: Page): Promise<void> {
  await page.locator('[name="name"]').fill('Li Wei');
  await page.locator('[name="email"]').fill('li.wei@example.com');
  await page.locator('[name="track"]').selectOption({ index: 1 });
  await page.locator('[name="terms"]').check();
}

async function register(page: Page): Promise<void> {
  await fillIn(page);
  await send(page);
}

async function filledInWrong(page: Page): Promise<void> {
  await page.locator('[name="name"]').fill('Li Wei');
  await page.locator('[name="email"]').fill('li.wei@');
  await page.locator('[name="guests"]').fill('some');
  await send(page);
}

/** Somebody registers, is told by whoever runs the channel that they may not, and registers again. */
const takenBack = (store: Store, channel: number) => async (page: Page) => {
  await fillIn(page);
  await page.locator('form button').click();
  // It is answered as it was made, so it is not left before.
  await page.locator('#chat-log .message').last().waitFor();
  const thing = channelThing(channel);
  await store.run('UPDATE registrations SET ended_at = $1 WHERE thing = $2', [now, thing]);
  await page.context().clearCookies({ name: `footlight_pass_${thing}` });
  await page.goto(page.url());
  await register(page);
};
