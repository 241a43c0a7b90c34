// What the command line writes is in the audit log, in the same transaction, and can be read there.
import { describe, expect, test } from 'bun:test';
import { engines } from './support/engines.ts';
import { typed } from './support/typed-line.ts';

for (const engine of engines)
  describe(engine.name, async () => {
    const settings = await engine.fresh();
    const run = (...words: string[]) => typed(settings, words);
    const done = async (...words: string[]) => {
      const { code, err, out } = await run(...words);
      expect({ words, code, err: code === 0 ? '' : err }).toEqual({ words, code: 0, err: '' });
      return out;
    };
    const rows = async (...words: string[]) => (await run('audit', ...words)).lines();

    test('who ran a command is noted with what it was done to, and nothing for one that failed', async () => {
      await done('token', 'create', '--name', 'the shop');
      await done('token', 'revoke', '1');
      await done('manager', 'create', '--username', 'anna');
      await done('manager', 'rename', '1', '--username', 'berta');
      await done('account', 'set', '1', '--name', 'ours');
      await done('person', 'invite', '--name', 'Ben');
      expect((await run('token', 'revoke', '1')).code).toBe(3);
      expect((await run('manager', 'remove', '99')).code).toBe(3);
      await done('token', 'list');
      const found = await rows();
      const said = found.map(({ operation, target }) => `${operation}: ${target?.name}`);
      expect(said).toEqual([
        'person invite: Ben',
        'account set: first',
        'manager rename: anna',
        'manager create: anna',
        'token revoke: the shop',
        'token create: the shop',
      ]);
      expect(found[0]).toMatchObject({
        via: 'command',
        who: { kind: 'command', id: 0, manager: null },
        group: 'people',
        address: '',
      });
    });

    test('an export is noted before it is printed, an erasure without whom it was of', async () => {
      await done('viewer', 'export', '--uid', 'vera');
      await done('viewer', 'erase', '--uid', 'vera');
      const found = await rows('--group', 'viewers');
      expect(found.map(({ operation }) => operation)).toContain('viewer export');
      expect(JSON.stringify(found)).not.toContain('vera');
    });

    test('what is no account’s is under 0, and another account’s under its own', async () => {
      await done('network', 'allow', '198.51.100.7');
      await done('account', 'create', '--name', 'another');
      expect(await rows('--account', '0')).toMatchObject([
        { operation: 'account create', target: { kind: 'account', name: 'another' } },
        { operation: 'network allow', group: 'service' },
      ]);
      await done('manager', 'create', '--username', 'anna', '--account', '2');
      expect((await rows('--account', '2', '--last', '1')).length).toBe(1);
    });

    test('a group that there is not is said', async () => {
      const { code, err } = await run('audit', '--group', 'x');
      expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('--group') });
    });
  });
