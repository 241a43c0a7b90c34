// Captions in the console: a person adds a file, is told what is wrong with it, replaces, removes and has them back.
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { noChromium } from './support/browser.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { goodPassword, signUp } from './support/people.ts';
import { addVideos } from './support/scenarios.ts';
import { Theatre } from './support/theatre.ts';

const theatre = new Theatre();

const vtt = (said: string) => Buffer.from(`WEBVTT\n\n00:01.000 --> 00:02.500\n${said}\n`);

/** The dialog of a new video. */
async function opened(isPhone: boolean): Promise<{ page: Page; video: number }> {
  const { service } = theatre;
  const { id: channel_id } = await theatre.newChannel();
  const name = `A talk ${channel_id}`;
  const [video = 0] = await addVideos(service, [{ name, channel_id }]);
  const user_name = `owner ${crypto.randomUUID()}`;
  await signUp(service, { user_name });
  const page = await (await theatre.viewer({ isPhone })).newPage();
  await page.goto(`${service.url}/console/sign-in`);
  await page.getByLabel('User name').fill(user_name);
  await page.locator('input[name="password"]').fill(goodPassword);
  await page.locator('form button[type="submit"]').click();
  await page.waitForURL(/\/console(?:\/channels)?(?:\?.*)?$/);
  await page.goto(`${service.url}/console/videos`);
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByText('Viewers have no captions to choose from yet.').waitFor();
  return { page, video };
}

const shot = async (page: Page, name: string) => {
  if (!process.env['SHOTS']) return;
  await page.locator('.video-captions').scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png` });
};

testWith(
  noChromium,
  'a person adds captions, replaces them, removes them and has them back',
  async () => {
    const { service } = theatre;
    const { page, video } = await opened(false);
    const kept = async () =>
      (await service.call('GET', `/manage/v1/videos/${video}/captions`)).body.captions;
    const texts = (language: string) =>
      service.call('GET', `/manage/v1/videos/${video}/captions/${language}`);
    const section = page.locator('.video-captions');
    const choose = async (button: string, name: string, buffer: Buffer) => {
      const chooser = page.waitForEvent('filechooser');
      await section.getByRole('button', { name: button, exact: true }).click();
      await (await chooser).setFiles({ name, mimeType: '', buffer });
    };

    // The line that is wrong stands where the file was chosen.
    await choose('Add a file', 'talk.fr.vtt', vtt('<b>Bonsoir'));
    expect(await page.getByLabel('Language').inputValue()).toBe('fr');
    expect(await page.getByLabel('What viewers see').getAttribute('placeholder')).toBe('Français');
    await page.getByRole('button', { name: 'Add captions' }).click();
    await section.getByText('Line 4: "<b>" is not closed').waitFor();
    expect(await kept()).toEqual([]);
    await hasNoFinding(page, 'dialog');
    await shot(page, 'wrong');
    await page.getByRole('button', { name: 'Cancel' }).click();

    await choose('Add a file', 'talk.fr.vtt', vtt('Bonsoir'));
    await page.getByLabel('Language').fill('not one');
    await page.getByRole('button', { name: 'Add captions' }).click();
    await page.getByText('Must be a tag such as "en" or "zh-Hant"').waitFor();
    await page.getByLabel('Language').fill('fr');
    await page.getByRole('button', { name: 'Add captions' }).click();
    await section.getByText('Français', { exact: true }).waitFor();
    expect(await kept()).toMatchObject([{ language: 'fr', label: 'Français', cues: 1 }]);

    await choose(
      'Replace: Français',
      'x.srt',
      Buffer.from(
        '1\n00:00:01,000 --> 00:00:02,000\nSalut\n\n2\n00:00:03,000 --> 00:00:04,000\nÇa va ?',
      ),
    );
    await section.getByText('2 cues').waitFor();
    expect((await texts('fr')).text).toContain('Salut');
    await hasNoFinding(page, 'dialog');
    await shot(page, 'listed');

    const download = page.waitForEvent('download');
    await section.getByRole('link', { name: 'Download: Français' }).click();
    expect((await download).suggestedFilename()).toMatch(/^A talk \d+\.fr\.vtt$/);

    await section.getByRole('button', { name: 'Remove: Français' }).click();
    await section.getByText('Viewers have no captions to choose from yet.').waitFor();
    expect(await kept()).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await section.getByText('Français', { exact: true }).waitFor();
    expect((await texts('fr')).text).toContain('Salut');
  },
);

testWith(
  noChromium,
  'a file is dropped, and on a phone all of it is as wide as the phone',
  async () => {
    const { page } = await opened(true);
    await page.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File(['WEBVTT\\n\\n00:01.000 --> 00:02.000\\nhi'], 'a talk with a rather long name of its own, of last autumn_zh-hant.vtt'));
    document.querySelector('.video-captions').dispatchEvent(
      new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
  })()`);
    const language = page.getByLabel('Language');
    await language.waitFor();
    expect(await language.inputValue()).toBe('zh-Hant');
    await shot(page, 'phone form');
    await hasNoFinding(page, 'dialog');
    await page.getByRole('button', { name: 'Add captions' }).click();
    await page.locator('.video-captions li').waitFor();
    expect(await overEdge(page)).toBe(0);
    const dialog = page.locator('dialog');
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await hasNoFinding(page, 'dialog');
    await shot(page, 'phone list');
  },
);
