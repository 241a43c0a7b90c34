// The comparison of `bench api` means something only where the servers' answers are the same.
import { type ApiServer, answerOf } from './api-servers.ts';

/** What a create asks for. */
export const newChannel = { name: 'Spring launch', start_time: '2026-05-01 19:30:00' };

/** The same bytes; in a database of its own all but the random keys. */
export async function checkSameReads(
  servers: readonly ApiServer[],
  channels: number,
): Promise<void> {
  for (const path of ['/v1/activities', '/v1/activities/1', `/v1/activities/${channels}`]) {
    const texts = await answersOf(servers, (one) => answerOf(one, path));
    demandSame(
      path,
      texts.filter(([{ name }]) => !/-pg$|^before/.test(name)),
    );
    demandSame(path, texts.map(withoutKeys));
  }
}

/** All but the number, the time and the random keys. */
export async function checkSameCreates(servers: readonly ApiServer[]): Promise<void> {
  const writers = servers.filter(({ name }) => name !== 'bare');
  const made = await answersOf(writers, (one) => answerOf(one, '/v1/activities', newChannel));
  demandSame('a create', made.map(withoutKeys).map(withoutOrder));
}

type Answer = readonly [server: ApiServer, text: string];

function answersOf(
  servers: readonly ApiServer[],
  ask: (server: ApiServer) => Promise<string>,
): Promise<Answer[]> {
  return Promise.all(servers.map(async (one) => [one, await ask(one)] as const));
}

/** As many signs as before: a server that sends more does more. */
function withoutKeys([server, text]: Answer): Answer {
  const masked = text.replace(/(?<=\/(?:live|hls|play)\/)[\w-]{20,}/g, ({ length }) =>
    '*'.repeat(length),
  );
  return [server, masked];
}

function withoutOrder([server, text]: Answer): Answer {
  const masked = text
    .replace(/(?<="id":|\/(?:watch|m|embed)\/)\d+/g, '*')
    .replace(/(?<="create_at":")\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, '*');
  return [server, masked];
}

function demandSame(what: string, [first, ...others]: readonly Answer[]): void {
  const wanted = first?.[1] ?? '';
  for (const [{ name }, text] of others) {
    if (text === wanted) continue;
    const at = Math.max(0, firstDifference(text, wanted) - shownBefore);
    const parts = [text, wanted].map((one) => one.slice(at, at + shownCharacters));
    throw new Error(`${name} answers ${what} otherwise, from ${at} on:\n${parts.join('\n')}`);
  }
}

/** Around the first difference: a list has 30 KB. */
const shownBefore = 80;
const shownCharacters = 300;

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
