// Judges a page that a browser shows: what axe finds in it, and whether it is wider than its window.
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
