// What players do when the holder of a push dies and another takes over, by how that one makes its playlist: hls.js, ffmpeg and VLC.
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { noChromium, servePage, startBrowser } from '../test/support/browser.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { started } from './support/proxies.ts';
import { type TakeoverOrder, TakeoverOrigin } from './support/takeover-origin.ts';

/** Ours is that of our pages; `hls.js` comes as it is, and the other without low latency is six seconds and more behind. */
const players = ['ours', 'hls.js', 'hls.js behind'] as const;
/** A player that has not moved for so long stands. */
const standsMs = 1_000;
/** Shorter is none that anybody sees. */
const stallMsMin = 300;

const cases: readonly TakeoverOrder[] = [
  { isFollower: true, way: 'numbers again', reserved: 0 },
  { isFollower: true, way: 'tiny gaps', reserved: 1 },
  { isFollower: true, way: 'tiny gaps', reserved: 4 },
  { isFollower: false, way: 'even gaps', reserved: 2 },
  { isFollower: false, way: 'even gaps', reserved: 3 },
  { isFollower: false, way: 'even gaps', reserved: 6 },
  { isFollower: false, way: 'tiny gaps', reserved: 2 },
  { isFollower: false, way: 'tiny gaps', reserved: 6 },
  { isFollower: false, way: 'long gaps', reserved: 2 },
  { isFollower: false, way: 'long gaps', reserved: 6 },
  { isFollower: false, way: 'fresh list', reserved: 2 },
  { isFollower: false, way: 'fresh list', reserved: 6 },
  { isFollower: false, way: 'numbers again', reserved: 0 },
];

export const trial: Trial = {
  sentence:
    'a push taken over after 4 s, by how the playlist goes on: stalls of hls.js, ffmpeg, VLC; 7 minutes',
  rounds: 1,
  run: async (options) => {
    const lacking = ['ffmpeg', 'cvlc'].filter((name) => Bun.which(name) === null);
    if (noChromium || lacking.length > 0)
      throw new Error(
        `it needs chromium, ffmpeg and VLC: apt-get install chromium ffmpeg vlc-bin vlc-plugin-base`,
      );
    return await gapRounds(options, { cases, outside: ['ffmpeg', 'VLC'], watchedMs: 15_000 });
  },
};

interface Watching {
  outside: readonly Outside[];
  /** From the return on. */
  watchedMs: number;
}

/** By case and player: how long it stood, and whether it stands. */
export async function gapRounds(
  { say }: RoundOptions,
  { cases, ...given }: { cases: readonly TakeoverOrder[] } & Watching,
): Promise<Figures> {
  const pages = await servePage(join(import.meta.dir, 'support/browser/gap-page.ts'));
  const browser = await startBrowser();
  const figures: Figures = {};
  try {
    for (const order of cases) {
      const { isFollower, way, reserved } = order;
      const name = `${isFollower ? 'follower, ' : ''}${way} ${reserved}`;
      const context = await browser.newContext();
      const seen = await gapRound(order, { ...given, context, pages: pages.url });
      say(`${name}: ${JSON.stringify(seen)}`);
      for (const [player, figure] of Object.entries(seen)) figures[`${name}, ${player}`] = figure;
    }
  } finally {
    await browser.close();
    await pages.stop();
  }
  const ours = Object.entries(figures).filter(([name]) => name.endsWith(', ours'));
  demand(
    ours.flatMap(([name, figure]) => (/stands/.test(String(figure)) ? [`${name} stands`] : [])),
  );
  return figures;
}

async function gapRound(
  order: TakeoverOrder,
  { context, pages, outside, watchedMs }: Watching & { context: BrowserContext; pages: string },
) {
  const origin = new TakeoverOrigin(order);
  const programs = outside.map((name) => started(commandOf(name, origin.url)));
  try {
    const opened = await Promise.all(
      players.map(async (name) => {
        const page = await context.newPage();
        const query = new URLSearchParams({ player: name, stream: origin.url });
        await page.goto(`${pages}?${query}`);
        return { name, page };
      }),
    );
    await Bun.sleep(origin.returnsAt + watchedMs - Date.now());
    const inPages = await Promise.all(
      opened.map(async ({ name, page }) => [name, await stalls(page, origin)] as const),
    );
    const byThemselves = outside.map((name) => [name, loadsAgain(origin, agents[name])] as const);
    return Object.fromEntries([...inPages, ...byThemselves]);
  } finally {
    await context.close();
    origin.stop();
    for (const { child } of programs) child.kill('SIGKILL');
  }
}

/** As the page has it. */
interface Seen {
  samples: (readonly [at: number, position: number])[];
  errors: string[];
}

/** How long it stood since shortly before the death. */
async function stalls(page: Page, { diesAt }: TakeoverOrigin): Promise<string> {
  const { samples, errors } = (await page.evaluate('seen')) as Seen;
  let [since] = samples;
  let stoodMs = 0;
  for (const sample of samples) {
    if (since && sample[1] === since[1]) continue;
    const ms = sample[0] - (since?.[0] ?? sample[0]);
    if (ms > stallMsMin && sample[0] > diesAt) stoodMs += ms;
    since = sample;
  }
  const stands = (samples.at(-1)?.[0] ?? 0) - (since?.[0] ?? 0) > standsMs;
  const fatal = errors.find((error) => error.startsWith('FATAL'));
  return stands ? `stands${fatal ? ` (${fatal})` : ''}` : `${stoodMs} ms`;
}

/** When a player that tells us nothing had its first media of the new holder, and whether it goes on to ask for more. */
function loadsAgain({ asked, returnsAt }: TakeoverOrigin, who: RegExp): string {
  const fresh = asked.filter((one) => who.test(one.who) && /^2-.*m4s$/.test(one.file));
  const [first] = fresh;
  if (!first) return 'stands';
  const lastAgoMs = Date.now() - (fresh.at(-1)?.at ?? 0);
  return lastAgoMs > 6_000 ? 'stands' : `loads after ${first.at - returnsAt} ms`;
}

type Outside = keyof typeof agents;

/** By what they call themselves. */
const agents = { ffmpeg: /Lavf/, VLC: /VLC/ };

function commandOf(name: Outside, url: string): string[] {
  if (name === 'ffmpeg') return ['ffmpeg', '-nostdin', '-v', 'error', '-i', url, '-f', 'null', '-'];
  // It does not run as root.
  const asNobody = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];
  const words = ['cvlc', '-q', '--vout', 'dummy', '--aout', 'dummy', url];
  return process.getuid?.() === 0 ? [...asNobody, ...words] : words;
}
