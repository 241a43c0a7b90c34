// The recipe for Varnish, run, with a few players; `npm run trial cdn` has forty and two edges.
import { expect } from 'bun:test';
import { cdnRound, guardedCdnRound } from '../../trial/cdn.ts';
import { lackingProxies } from '../../trial/support/proxies.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  lackingProxies(['varnishd', 'varnishstat']),
  'players behind an edge and a shield have every part as the service made it, and one asks for all',
  async () => {
    const figures = await cdnRound(shortly(1), { players: 8, edges: 1, seconds: 5 });
    const count = (name: string) => Number(figures[name]);
    expect(count('players')).toBe(8);
    // Parts and playlists: on a busy machine one of these tells of several parts.
    expect(count('requests_of_one_player')).toBeGreaterThan(count('parts_each'));
    expect(count('requests_at_origin')).toBeLessThan(count('requests_of_players') / 3);
  },
);

testWith(
  lackingProxies(['varnishd', 'varnishstat']),
  'where not everybody may watch each playlist is asked for with its pass, and the parts of one serve all',
  async () => {
    const order = { players: 8, edges: 1, seconds: 5 };
    const figures = await guardedCdnRound(shortly(1), order);
    const count = (name: string) => Number(figures[`guarded_${name}`]);
    expect(count('players')).toBe(8);
    expect(count('requests_at_origin')).toBeGreaterThanOrEqual(count('playlists_of_players'));
    // Beside the playlists little more than each piece once; one that two ask for in the same moment may come twice.
    const pieces = count('requests_at_origin') - count('playlists_of_players');
    expect(pieces).toBeLessThan(count('parts_of_players') / 3);
  },
);
