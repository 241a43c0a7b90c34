import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../db/sql.ts';
import { startLog } from '../lib/log.ts';
import { DatabaseClock } from './database-clock.ts';
import { heirsAmong, Membership, type MembershipOptions } from './membership.ts';
import { noBucket } from './node-bucket.ts';
import { listNodes, renewNode } from './node-store.ts';
import { NameTaken, OtherBucket } from './refused-start.ts';

const log = startLog('error', { now: Date.now, write: (text) => text.length });

const sharedBucket = { bucket: 'recordings/shows/', bucket_url: 'https://s3.example.com/' };
const monotonicMs = () => performance.now();

/** A node on the store whose own clock is moved by hand, and that renews when told; the database's clock is real. */
async function nodeOn(store: Store, node: string, options: Partial<MembershipOptions> = {}) {
  const time = { ms: 0, changes: 0, isReplaced: false, isDrained: false };
  const monotonicMs = () => time.ms;
  const clock = new DatabaseClock({ startsAt: 0, monotonicMs });
  const membership = await Membership.join({
    ...{
      store,
      node,
      link_url: `http://${node}`,
      version: '1.2.3',
      bucket: sharedBucket,
      clock,
      monotonicMs,
      log,
      everyMs: 3_600_000,
    },
    onDrain: () => {
      time.isDrained = true;
    },
    onReplaced: () => {
      time.isReplaced = true;
    },
    ...options,
  });
  membership.onChanged(() => {
    time.changes += 1;
  });
  return { membership, time, clock };
}

for (const engine of engines) {
  describe(engine.name, () => {
    test('nodes know of each other, and who has stopped is gone at once', async () => {
      const store = await openTestStore(engine);
      const a = await nodeOn(store, 'a');
      expect(a.membership.others()).toEqual([]);
      const b = await nodeOn(store, 'b');
      const { run } = b.membership;
      await a.membership.renew();
      expect(a.membership.others()).toEqual([
        { node: 'b', run, link_url: 'http://b', version: '1.2.3', isDraining: false },
      ]);
      expect(b.membership.others()).toMatchObject([{ node: 'a' }]);
      await b.membership.stop();
      await a.membership.renew();
      expect(a.membership.others()).toEqual([]);
      expect(a.membership.silentMs('b')).toBe(Number.POSITIVE_INFINITY);
      expect(a.time.changes).toBe(2);
      await a.membership.stop();
      expect(await listNodes(store)).toEqual([]);
      await store.close();
    });

    test('a sign of life that is written after the end leaves no row', async () => {
      const store = await openTestStore(engine);
      const gate = Promise.withResolvers<void>();
      const slow: Store = Object.create(store, {
        perform: {
          value: async (...call: Parameters<Store['perform']>) => {
            if (call[0].name === renewNode.name) await gate.promise;
            return await store.perform(...call);
          },
        },
      });
      const { membership } = await nodeOn(slow, 'a');
      const told = membership.drain();
      await membership.stop();
      gate.resolve();
      await told;
      expect(await listNodes(store)).toEqual([]);
      await store.close();
    });

    test('a node that says nothing is gone after three seconds of whoever watches, whatever the database says', async () => {
      const store = await openTestStore(engine);
      const a = await nodeOn(store, 'a');
      const b = await nodeOn(store, 'b');
      await a.membership.renew();
      await b.membership.renew();
      await a.membership.renew();
      await store.run("UPDATE nodes SET seen_at = seen_at + 3600000 WHERE node = 'b'");
      a.time.ms += 2_999;
      await a.membership.renew();
      expect(a.membership.others()).toHaveLength(1);
      a.time.ms += 1;
      expect(a.membership.others()).toEqual([]);
      expect(a.membership.silentMs('b')).toBe(3_000);
      await b.membership.renew();
      await a.membership.renew();
      expect(a.membership.silentMs('b')).toBe(0);
      for (const { membership } of [a, b]) await membership.stop();
      await store.close();
    });

    test('a name that is in use is refused; one that a kill has left is taken', async () => {
      const store = await openTestStore(engine);
      const a = await nodeOn(store, 'a');
      const renews = setInterval(() => a.membership.renew(), 50);
      await expect(nodeOn(store, 'a', { monotonicMs })).rejects.toThrow(NameTaken);
      clearInterval(renews);
      expect(a.time.isReplaced).toBe(false);
      // It is killed: nothing of it renews, and the row stays.
      await store.run('UPDATE nodes SET seen_at = seen_at - 3001');
      const next = await nodeOn(store, 'a');
      await a.membership.renew();
      expect(a.time.isReplaced).toBe(true);
      expect(await listNodes(store)).toMatchObject([{ node: 'a', run: next.membership.run }]);
      for (const { membership } of [a, next]) await membership.stop();
      expect(await listNodes(store)).toEqual([]);
      await store.close();
    });

    test('beside a node that runs only those start that share its bucket, and are told what to set', async () => {
      const other = { ...sharedBucket, bucket: 'recordings/other/' };
      const cases = [
        [noBucket, noBucket, 'neither has S3'],
        [
          sharedBucket,
          noBucket,
          'keeps recordings in S3 (recordings/shows/), and this one does not',
        ],
        [noBucket, sharedBucket, 'runs on this database without S3'],
        [sharedBucket, other, 'in another place of S3 (recordings/shows/) than this one'],
      ] as const;
      for (const [first, second, says] of cases) {
        const store = await openTestStore(engine);
        const a = await nodeOn(store, 'a', { bucket: first });
        const renews = setInterval(() => a.membership.renew(), 50);
        const joining = nodeOn(store, 'b', { bucket: second, monotonicMs });
        await expect(joining).rejects.toThrow(OtherBucket);
        await expect(joining).rejects.toThrow(says);
        await expect(joining).rejects.toThrow('the node "a"');
        clearInterval(renews);
        // It is gone of its own accord, so nobody is in the way.
        await a.membership.stop();
        const b = await nodeOn(store, 'b', { bucket: second });
        expect(await listNodes(store)).toMatchObject([{ node: 'b', ...second }]);
        await b.membership.stop();
        await store.close();
      }
    });

    test('who restarts, who follows a node that a kill has ended, and who meets an older program is let in', async () => {
      const store = await openTestStore(engine);
      await nodeOn(store, 'a', { bucket: noBucket });
      // Its row stands still after a kill: it is looked at for as long as a sign of life takes, from the last one on.
      const almost = 'UPDATE nodes SET seen_at = seen_at - 2700';
      await store.run(almost);
      const again = nodeOn(store, 'a', { bucket: noBucket, monotonicMs });
      expect((await again).membership.node).toBe('a');
      await store.run(almost);
      const b = await nodeOn(store, 'b', { bucket: noBucket, monotonicMs });
      expect(b.membership.node).toBe('b');
      await store.run('UPDATE nodes SET bucket = NULL, bucket_url = NULL');
      const c = await nodeOn(store, 'c', { bucket: noBucket });
      expect(c.membership.others().map(({ node }) => node)).toContain('b');
      for (const { membership } of [b, c]) await membership.stop();
      await store.close();
    });

    test('one store may be reached by several addresses: that is only a warning', async () => {
      const store = await openTestStore(engine);
      const a = await nodeOn(store, 'a');
      const lines: string[] = [];
      const bucket = { ...sharedBucket, bucket_url: 'http://127.0.0.1:9000/' };
      const said = startLog('warn', { now: Date.now, write: (text) => lines.push(text) });
      const b = await nodeOn(store, 'b', { bucket, log: said });
      said.flush();
      expect(lines.join('')).toContain('another node has another S3_URL');
      for (const { membership } of [a, b]) await membership.stop();
      await store.close();
    });

    test('of two that start at once without a bucket one is let in', async () => {
      const store = await openTestStore(engine);
      for (let round = 0; round < 10; round += 1) {
        const tries = await Promise.allSettled(
          ['a', 'b'].map((node) => nodeOn(store, node, { bucket: noBucket })),
        );
        const into = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
        expect(into).toHaveLength(1);
        for (const { membership } of into) await membership.stop();
      }
      await store.close();
    });

    test('its clock is the database’s, and that of the others where they are ahead of it', async () => {
      const store = await openTestStore(engine);
      const a = await nodeOn(store, 'a');
      expect(Math.abs(a.clock.now() - Date.now())).toBeLessThan(10_000);
      await store.run('UPDATE nodes SET clock_ahead_ms = 600000');
      const b = await nodeOn(store, 'b');
      expect(Math.abs(b.clock.now() - Date.now() - 600_000)).toBeLessThan(10_000);
      for (const { membership } of [a, b]) await membership.stop();
      await store.close();
    });

    test('a node is told to drain by its row, and tells the others itself', async () => {
      const store = await openTestStore(engine);
      const a = await nodeOn(store, 'a');
      const b = await nodeOn(store, 'b');
      await store.run("UPDATE nodes SET draining = 1 WHERE node = 'a'");
      await a.membership.renew();
      expect(a.time.isDrained).toBe(true);
      await a.membership.renew();
      expect(heirsAmong(a.membership)).toMatchObject([{ node: 'b' }]);
      await b.membership.drain();
      await a.membership.renew();
      expect(a.membership.others()).toMatchObject([{ node: 'b', isDraining: true }]);
      expect(heirsAmong(a.membership)).toEqual([]);
      expect(b.time.isDrained).toBe(false);
      for (const { membership } of [a, b]) await membership.stop();
      await store.close();
    });

    test('nodes whose versions are more than one minor step apart say so, once', async () => {
      const store = await openTestStore(engine);
      const lines: string[] = [];
      const write = (text: string) => lines.push(text);
      const heard = startLog('warn', { now: Date.now, write });
      const a = await nodeOn(store, 'a', { version: '1.2.3', log: heard });
      const next = await nodeOn(store, 'next', { version: '1.3.0' });
      await a.membership.renew();
      heard.flush();
      expect(lines).toEqual([]);
      const far = await nodeOn(store, 'far', { version: '1.4.0', log: heard });
      await a.membership.renew();
      await next.membership.drain();
      await a.membership.renew();
      heard.flush();
      const told = lines.join('').trim().split('\n');
      expect(told.map((line) => JSON.parse(line).node).toSorted()).toEqual(['a', 'far']);
      for (const { membership } of [a, next, far]) await membership.stop();
      await store.close();
    });

    test('for how long the database has answered begins anew after a break', async () => {
      const store = await openTestStore(engine);
      const { membership, time } = await nodeOn(store, 'a');
      const pass = async (ms: number) => {
        time.ms += ms;
        await membership.renew();
      };
      for (let i = 0; i < 5; i += 1) await pass(1_000);
      expect(membership.steadyMs()).toBe(5_000);
      await pass(3_001);
      expect(membership.steadyMs()).toBe(0);
      await pass(2_000);
      expect(membership.steadyMs()).toBe(2_000);
      time.ms += 3_001;
      expect(membership.steadyMs()).toBe(0);
      await membership.stop();
      await store.close();
    });

    test('a row that somebody has removed is written again', async () => {
      const store = await openTestStore(engine);
      const { membership } = await nodeOn(store, 'a');
      await store.run('DELETE FROM nodes');
      await membership.renew();
      expect(await listNodes(store)).toMatchObject([{ node: 'a', run: membership.run }]);
      await membership.stop();
      await store.close();
    });
  });
}
