// What a room's pages are told of their channel when its owner changes it.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { ServiceMessage } from '../protocol/messages.ts';
import { RoomPlaybill } from './room-playbill.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);

for (const engine of engines) {
  describe(engine.name, () => {
    test('a changed name or start is told once, and nothing else is', async () => {
      const store = await openTestStore(engine);
      const channel_id = await newChannel(store);
      const told: ServiceMessage[] = [];
      const publish = (message: ServiceMessage) => told.push(message);
      const playbill = new RoomPlaybill({ channel_id, sql: store, publish });
      expect(await playbill.open()).toBe(true);
      const set = async (name: string, page: object) => {
        const values = [channel_id, name, JSON.stringify(page)];
        await store.run('UPDATE channels SET name = $2, page = $3 WHERE id = $1', values);
        await playbill.refreshFromDatabase();
        await playbill.refreshFromDatabase();
        return told.splice(0).map((message) => message.type === 'playbill' && message.playbill);
      };
      const { name } = playbill.shown;
      expect(await set(name, {})).toEqual([]);
      expect(await set(name, { footer: 'another' })).toEqual([]);
      expect(await set('another', {})).toEqual([{ name: 'another', start_time: null }]);
      const started = { name: 'another', start_time: noon };
      expect(await set('another', { start_time: noon })).toEqual([started]);
      expect(playbill.shown).toEqual(started);
      expect(await set('another', {})).toEqual([{ name: 'another', start_time: null }]);
    });

    test('the language of places is the account’s, also where that is changed', async () => {
      const store = await openTestStore(engine);
      const channel_id = await newChannel(store);
      const playbill = new RoomPlaybill({ channel_id, sql: store, publish: () => {} });
      const languages = ['en', 'zh', 'en'] as const;
      for (const place_language of languages) {
        await store.run('UPDATE accounts SET place_language = $1', [place_language]);
        await playbill.refreshFromDatabase();
        expect(playbill.placeLanguage).toBe(place_language);
      }
    });

    test('a channel that is none has no playbill', async () => {
      const store = await openTestStore(engine);
      const publish = () => {};
      const playbill = new RoomPlaybill({ channel_id: 1_000_000, sql: store, publish });
      expect(await playbill.open()).toBe(false);
      expect(() => playbill.shown).toThrow();
    });
  });
}
