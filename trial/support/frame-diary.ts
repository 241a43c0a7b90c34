// When a page's player has painted a picture: each that the browser tells of, by the clock of this machine.
import type { Page } from 'playwright-core';

export interface FrameDiary {
  /** The longest time between two pictures of which the second came after this moment. */
  longestGapMs(since: number): Promise<number>;
}

const follow = `
  globalThis.framesAt = [];
  const painted = (now) => {
    framesAt.push(performance.timeOrigin + now);
    video.requestVideoFrameCallback(painted);
  };
  video.requestVideoFrameCallback(painted);`;

export async function followFrames(page: Page): Promise<FrameDiary> {
  await page.evaluate(`{${follow}}`);
  return {
    longestGapMs: async (since) => {
      const all = (await page.evaluate('framesAt')) as number[];
      const gaps = all.map((at, i) => (at > since ? at - (all[i - 1] ?? at) : 0));
      return Math.round(Math.max(0, ...gaps));
    },
  };
}
