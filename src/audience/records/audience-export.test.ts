// Exports piece by piece: every row once, in order, whatever happens meanwhile, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { bringSessions, type PastSession, utc } from '../../../test/support/past-sessions.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Pieces } from '../../base/api/pieces.ts';
import { ndjsonLines } from '../../base/lib/ndjson.ts';
import { type Export, openExport } from './audience-export.ts';
import { importSessions } from './session-import.ts';

const start = Date.UTC(2026, 0, 1);
const columns =
  'record_id,user_id,nick,addr,online_time,watch_time,phone,first_login_time,last_online_time,device,browser,origin,ip,online_ms,watch_ms,entered_at,last_seen_at';

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    const open = (channel_id: number, order: Partial<Export> = {}) =>
      openExport(
        { store, zone: utc },
        {
          channel: { id: channel_id, name: 'the show', account_id: 1 },
          kind: 'session',
          format: 'ndjson',
          ...order,
        },
      );

    test('every row comes once, oldest first, in pieces of bounded size', async () => {
      const channel_id = await newChannel(store);
      await bringSessions(store, channel_id, everySecond(1_203));
      const pieces = await allOf(await open(channel_id));
      expect(pieces.map((piece) => piece.split('\n').length - 1)).toEqual([
        ...Array(12).fill(100),
        3,
      ]);
      const lines = linesOf(pieces);
      expect(lines.map(({ user_id }) => user_id)).toEqual(
        everySecond(1_203).map(({ viewer_id }) => viewer_id),
      );
      const visitors = linesOf(await allOf(await open(channel_id, { kind: 'visitor' })));
      expect(visitors).toHaveLength(1_203);
    });

    test('a line has the fields of the interface, then the exact ones', async () => {
      const channel_id = await newChannel(store);
      const session = { record_id: 7, viewer_id: 'u1', nick: '小明', ip: '203.0.113.9' };
      await bringSessions(store, channel_id, [
        { ...session, entered_at: start + 59_000, online_ms: 90_000, watch_ms: 61_000 },
      ]);
      const [line] = linesOf(await allOf(await open(channel_id)));
      expect(Object.keys(line ?? {}).join()).toBe(`${columns},watched`);
      expect(line).toMatchObject({
        user_id: 'u1',
        nick: '小明',
        online_time: '00:01:30',
        watch_time: '00:01:01',
        first_login_time: '2026-01-01 00:00',
        last_online_time: '2026-01-01 00:02',
        ip: '203.0.113.9',
        online_ms: 90_000,
        watch_ms: 61_000,
        entered_at: '2026-01-01T00:00:59.000Z',
        last_seen_at: '2026-01-01T00:02:29.000Z',
      });
      const [visitor] = linesOf(await allOf(await open(channel_id, { kind: 'visitor' })));
      expect(visitor).toMatchObject({
        id: channel_id,
        uin: 1,
        name: 'the show',
        visitor_id: 'u1',
        watch_time: '00:01:01',
        first_login_time: '2026-01-01 00:00:59',
        last_ip: '203.0.113.9',
        watch_ms: 61_000,
        first_entered_at: '2026-01-01T00:00:59.000Z',
      });
    });

    test('CSV opens with the mark and one line of names, and a name that is a formula is text', async () => {
      const channel_id = await newChannel(store);
      const nick = '=HYPERLINK("http://x","小明")';
      await bringSessions(store, channel_id, [
        { record_id: 1, viewer_id: 'u1', entered_at: start, nick },
      ]);
      const text = (await allOf(await open(channel_id, { format: 'csv' }))).join('');
      const [head, line, end] = text.split('\r\n');
      expect(head).toBe(`\uFEFF${columns}`);
      expect(line).toContain(',u1,"\'=HYPERLINK(""http://x"",""小明"")",');
      expect(end).toBe('');
    });

    test('of a channel without rows CSV has its names, NDJSON nothing', async () => {
      const channel_id = await newChannel(store);
      expect(await allOf(await open(channel_id, { format: 'csv' }))).toEqual([
        `\uFEFF${columns}\r\n`,
      ]);
      expect(await allOf(await open(channel_id))).toEqual([]);
    });

    test('a period takes those who entered in it', async () => {
      const channel_id = await newChannel(store);
      await bringSessions(store, channel_id, everySecond(10));
      const period = async (enteredFrom?: number, enteredBefore?: number) => {
        const lines = linesOf(await allOf(await open(channel_id, { enteredFrom, enteredBefore })));
        return lines.map(({ user_id }) => user_id).join(' ');
      };
      expect(await period(start + 7_000)).toBe('v7 v8 v9');
      expect(await period(undefined, start + 2_000)).toBe('v0 v1');
      expect(await period(start + 2_500, start + 4_500)).toBe('v3 v4');
      expect(await period(start + 20_000)).toBe('');
      expect(await period(start + 20_000, start + 30_000)).toBe('');
    });

    test('whoever enters while it runs is not in it, and what is erased meanwhile is not either', async () => {
      const channel_id = await newChannel(store);
      await bringSessions(store, channel_id, everySecond(700));
      const pieces = await open(channel_id);
      const first = await pieces();
      await bringSessions(store, channel_id, [
        { record_id: 'late', viewer_id: 'late', entered_at: start + 3_600_000 },
      ]);
      await store.run('DELETE FROM sessions WHERE channel_id = $1 AND viewer_id = $2', [
        channel_id,
        'v600',
      ]);
      const lines = linesOf([first ?? '', ...(await allOf(pieces))]);
      expect(lines).toHaveLength(699);
      expect(lines.at(-1)?.['user_id']).toBe('v699');
    });

    test('rows that are numbered anew end it with an error, never with a row twice', async () => {
      const channel_id = await newChannel(store);
      await bringSessions(store, channel_id, everySecond(700));
      const pieces = await open(channel_id);
      await pieces();
      await bringSessions(store, channel_id, [
        { record_id: 'old', viewer_id: 'old', entered_at: start - 3_600_000 },
      ]);
      await expect(pieces()).rejects.toThrow('numbered the rows anew');
    });

    test('an export can be imported into another channel', async () => {
      const channel_id = await newChannel(store);
      const list = everySecond(90).map((session, at) => ({
        ...session,
        online_ms: at * 1_700,
        watch_ms: at * 1_000,
        nick: `=${at}`,
        ip: '203.0.113.9',
      }));
      await bringSessions(store, channel_id, list);
      const text = (await allOf(await open(channel_id))).join('');
      const copy = await newChannel(store);
      const bad: string[] = [];
      const report = await importSessions(store, {
        channel_id: copy,
        zone: utc,
        now: Number.POSITIVE_INFINITY,
        batches: ndjsonLines(new Blob([text]).stream()),
        onBad: (line, problem) => bad.push(`${line}: ${problem}`),
        onProgress: () => {},
      });
      expect(bad).toEqual([]);
      expect(report).toMatchObject({ lines: 90, added: 90, bad: 0 });
      const shown = async (id: number) =>
        linesOf(await allOf(await open(id))).map(({ user_id, nick, watch_time, ip }) => ({
          user_id,
          nick,
          watch_time,
          ip,
        }));
      expect(await shown(copy)).toEqual(await shown(channel_id));
    });
  });
}

function everySecond(count: number): PastSession[] {
  return Array.from({ length: count }, (_, at) => ({
    record_id: at + 1,
    viewer_id: `v${at}`,
    entered_at: start + at * 1_000,
  }));
}

async function allOf(pieces: Pieces): Promise<string[]> {
  const all: string[] = [];
  for (let piece = await pieces(); piece !== undefined; piece = await pieces()) all.push(piece);
  return all;
}

function linesOf(pieces: readonly string[]): Record<string, unknown>[] {
  const text = pieces.join('');
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}
