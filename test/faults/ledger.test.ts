// The checker that the faults share notices what it is there to notice.
import { expect, test } from 'bun:test';
import { Ledger } from '../support/ledger.ts';

const told = () => {
  const ledger = new Ledger();
  ledger.created('a', 'acknowledged', 1);
  ledger.changed(1, 'name', 'b', 'acknowledged');
  ledger.changed(1, 'name', 'c', 'unanswered');
  ledger.changed(1, 'page:footer,banner', '["x","y"]', 'acknowledged');
  ledger.created('d', 'refused');
  return ledger;
};
const row = { id: 1, name: 'b', page: { footer: 'x', banner: 'y' } };

const scenarios = [
  { what: 'all as acknowledged', channels: [row], lost: 0, broken: 0 },
  { what: 'an unanswered rename that was made', channels: [{ ...row, name: 'c' }] },
  { what: 'a refused create that was made', channels: [row, { ...row, id: 2, name: 'd' }] },
  { what: 'a lost create', channels: [], lost: 1 },
  { what: 'a lost rename', channels: [{ ...row, name: 'a' }], lost: 1 },
  { what: 'half a page change', channels: [{ ...row, page: { footer: 'x' } }], lost: 1 },
  { what: 'a channel nobody made', channels: [row, { ...row, id: 2, name: 'e' }], broken: 1 },
  {
    what: 'one create that made two',
    channels: [row, { ...row, id: 2, name: 'd' }, { ...row, id: 3, name: 'd' }],
    broken: 1,
  },
];

for (const { what, channels, lost = 0, broken = 0 } of scenarios)
  test(`${what}: ${lost} lost, ${broken} broken`, () => {
    const found = told().compare({ channels, problems: [] });
    expect(found.lost).toHaveLength(lost);
    expect(found.broken).toHaveLength(broken);
  });

test('where a refusal means that nothing was done, what was done all the same is told', () => {
  const made = {
    channels: [
      { ...row, name: 'c' },
      { ...row, id: 2, name: 'd' },
    ],
    problems: [],
  };
  const found = told().compare(made, { exact: true });
  expect(found.lost).toHaveLength(1);
  expect(found.broken).toHaveLength(1);
});
