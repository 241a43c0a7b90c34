// Judges a page that a browser shows: what axe finds in it, whether it is wider than its window, and whether fingers meet what they aim at.
import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export async function hasNoFinding(page: Page, within?: string): Promise<void> {
  expect(await findingsOf(page, within)).toEqual([]);
}

/** What axe finds, where a long page is known within one part. Frames are looked at by the tests of the pages they show. */
export async function findingsOf(page: Page, within = ':root'): Promise<string[]> {
  await page.evaluate(axe);
  // What is still on its way in is half transparent.
  await page.evaluate(untilStill);
  const found = await page.evaluate(
    `axe.run(document.querySelector('${within}'), { resultTypes: ["violations"], iframes: false })`,
  );
  const { violations } = found as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.failureSummary}`);
}

/** Ends when everything that moves for a while has come to its end. */
const untilStill = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => undefined)`;

/** Pixels that the page is wider than its window. */
export async function overEdge(page: Page): Promise<number> {
  const root = 'document.documentElement';
  return await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`);
}

/** Draws the page from its top to its end. A browser that draws more than its window forgets that it is for fingers: so the window grows. */
export async function drawWhole(
  page: Page,
  { path, hasTouch }: { path: string; hasTouch: boolean },
): Promise<void> {
  const window = page.viewportSize();
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  const grows = hasTouch && window !== null && height > window.height;
  if (grows) await page.setViewportSize({ ...window, height });
  await page.screenshot({ path, animations: 'disabled', fullPage: !hasTouch });
  if (grows) await page.setViewportSize(window);
}

/** All that is wrong with it, in words. */
export async function troublesOf(
  page: Page,
  { hasTouch }: { hasTouch: boolean },
): Promise<string[]> {
  const troubles = await findingsOf(page);
  const over = await overEdge(page);
  if (over > 0) troubles.push(`it is ${over} pixels wider than its window`);
  troubles.push(...(await cutOff(page)));
  if (hasTouch) troubles.push(...(await smallTargets(page)));
  return troubles;
}

/** What reaches over the side of something that hides what is beyond, and that nobody can scroll. */
export async function cutOff(page: Page): Promise<string[]> {
  return await page.evaluate(`(() => {
    const clips = (one) => {
      for (let box = one.parentElement; box && box !== document.body; box = box.parentElement) {
        const { overflowX, textOverflow, clipPath } = getComputedStyle(box);
        if (textOverflow === 'ellipsis' || clipPath !== 'none') return undefined;
        if (overflowX === 'auto' || overflowX === 'scroll') return undefined;
        if (overflowX === 'hidden' || overflowX === 'clip') return box;
      }
    };
    return [...document.querySelectorAll('a, button, input, select, textarea, label, p, h1, h2')].flatMap((one) => {
      const { left, right, width } = one.getBoundingClientRect();
      if (width < 2 || getComputedStyle(one).visibility !== 'visible') return [];
      const box = clips(one)?.getBoundingClientRect();
      if (!box || (left >= box.left - 1 && right <= box.right + 1)) return [];
      return [one.localName + ' "' + (one.id || one.textContent.trim().slice(0, 30)) + '" is cut off'];
    });
  })()`);
}

/**
 * What a finger of 44 pixels does not fit on, with how large it is. Links within a text are read first, and what belongs to
 * a line of the chat is as high as the line.
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return await page.evaluate(`(() => {
    const least = 44;
    const lineLeast = 24;
    const aimed = 'a[href], button, select, summary, textarea, input:not([type="hidden"])';
    const isOf = (one, hit) => hit !== null && (one.contains(hit) || one.closest('label')?.contains(hit) ||
      [...(one.labels ?? [])].some((label) => label.contains(hit)));
    /** How far from its middle it still answers. */
    const reach = (one, [x, y], [dx, dy]) => {
      let far = 0;
      while (far < least && isOf(one, document.elementFromPoint(x + dx * far, y + dy * far))) far += 1;
      return far;
    };
    const before = [scrollX, scrollY];
    const found = [...document.querySelectorAll(aimed)].flatMap((one) => {
      const { display, position } = getComputedStyle(one);
      if (one.disabled || (display === 'inline' && position === 'static' && one.matches('a'))) return [];
      one.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const { left, top, width, height } = (one.closest('label') ?? one).getBoundingClientRect();
      const middle = [left + width / 2, top + height / 2];
      // Of what stands under something else, or is only read out, nothing answers.
      if (!isOf(one, document.elementFromPoint(...middle))) return [];
      // The middle is met both ways.
      const across = reach(one, middle, [-1, 0]) + reach(one, middle, [1, 0]) - 1;
      const down = reach(one, middle, [0, -1]) + reach(one, middle, [0, 1]) - 1;
      if (across >= least && down >= (one.closest('.message') ? lineLeast : least)) return [];
      const name = one.id || one.getAttribute('aria-label') || one.textContent.trim().slice(0, 30) || one.name;
      return [one.localName + ' "' + name + '" answers on ' + across + ' × ' + down + ' pixels'];
    });
    scrollTo({ left: before[0], top: before[1], behavior: 'instant' });
    return [...new Set(found)];
  })()`);
}
