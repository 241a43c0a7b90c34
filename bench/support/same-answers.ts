// The comparison of `bench api` means something only where the servers' answers are the same.
import { type ApiServer, answerOf } from './api-servers.ts';

/** What a create asks for. */
export const newChannel = { name: 'Spring launch', start_time: '2026-05-01 19:30:00' };

/** Reads are the same bytes; on PostgreSQL, and of new channels, all but random keys and the time. */
export async function checkSameAnswers(
  servers: readonly ApiServer[],
  channels: number,
): Promise<void> {
  for (const path of ['/v1/activities', '/v1/activities/1', `/v1/activities/${channels}`]) {
    const texts = await answersOf(servers, (one) => answerOf(one, path));
    const hasKeysOfItsOwn = ({ name }: ApiServer) => name === 'footlight-pg';
    const rows = texts.filter(([server]) => !hasKeysOfItsOwn(server));
    demandSame(path, rows);
    demandSame(path, texts.map(withoutChance));
  }
  const writers = servers.filter(({ name }) => name !== 'bare');
  const made = await answersOf(writers, (one) => answerOf(one, '/v1/activities', newChannel));
  demandSame('a create', made.map(withoutChance));
}

type Answer = readonly [server: ApiServer, text: string];

function answersOf(
  servers: readonly ApiServer[],
  ask: (server: ApiServer) => Promise<string>,
): Promise<Answer[]> {
  return Promise.all(servers.map(async (one) => [one, await ask(one)] as const));
}

/** As many signs as before: servers that send more would do more. */
function withoutChance([server, text]: Answer): Answer {
  const masked = text
    .replace(/(?<=\/(?:live|hls|play)\/)[\w-]{20,}/g, (key) => '*'.repeat(key.length))
    .replace(/(?<="create_at":")[^"]+/g, (time) => '*'.repeat(time.length));
  return [server, masked];
}

function demandSame(what: string, [first, ...others]: readonly Answer[]): void {
  for (const [{ name }, text] of others) {
    if (text !== first?.[1])
      throw new Error(`${name} answers ${what} otherwise:\n${text}\n${first?.[1]}`);
  }
}
