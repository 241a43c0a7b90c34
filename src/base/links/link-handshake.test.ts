import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dialling, linkAddress, type Step, serving } from './link-handshake.ts';

const address = '10.0.0.2:8080';

function sides({
  diallers = ['s'],
  servers = ['s'],
  dialled = address,
  from = 'a',
  to = 'b',
} = {}) {
  const dialler = dialling(
    { node: from, run: 'run-1', secrets: () => diallers },
    { to, address: dialled },
  );
  const server = serving({
    node: 'b',
    run: 'run-2',
    address,
    secrets: () => servers,
    mayBe: () => true,
  });
  return { dialler, server };
}

function said(step: Step): string {
  if (!('say' in step)) throw new Error(`nothing was said: ${JSON.stringify(step)}`);
  return step.say;
}

test('two that know the secret prove it to each other, and never say it', () => {
  const { dialler, server } = sides({ diallers: ['a long secret'], servers: ['a long secret'] });
  const challenge = server.hear(dialler.first);
  const proof = dialler.hear(said(challenge));
  const answer = server.hear(said(proof));
  expect(answer).toMatchObject({ proved: { node: 'a', run: 'run-1', secret: 'a long secret' } });
  expect(dialler.hear(said(answer))).toEqual({
    proved: { node: 'b', run: 'run-2', secret: 'a long secret' },
  });
  for (const text of [dialler.first, said(challenge), said(proof), said(answer)])
    expect(text).not.toContain('a long secret');
});

const refusals: [string, Parameters<typeof sides>[0], string][] = [
  ['another secret', { diallers: ['other'] }, 'secret'],
  ['another address', { dialled: '10.0.0.3:8080' }, 'address'],
  ['another node', { to: 'c' }, 'node'],
  ['a node that it dials itself', { from: 'c' }, 'node'],
  ['itself', { from: 'b' }, 'node'],
  ['a name with a line end', { from: 'a\nb' }, 'words'],
];
for (const [what, given, reason] of refusals)
  test(`a node refuses ${what}`, () => {
    const { dialler, server } = sides(given);
    expect(server.hear(dialler.first)).toEqual({ refused: reason as 'words' });
  });

test('while a secret is changed both find the one that they share', () => {
  const { dialler, server } = sides({ diallers: ['new', 'old'], servers: ['old', 'older'] });
  const proof = dialler.hear(said(server.hear(dialler.first)));
  expect(server.hear(said(proof))).toMatchObject({ proved: { secret: 'old' } });
});

test('what was heard of one handshake is no good for another', () => {
  const one = sides();
  const proof = said(one.dialler.hear(said(one.server.hear(one.dialler.first))));
  const other = sides();
  // The very words of the first, hello and proof: the server has another nonce by now.
  other.server.hear(one.dialler.first);
  expect(other.server.hear(proof)).toEqual({ refused: 'proof' });
});

test('who sends back what it is sent proves nothing', () => {
  const { dialler, server } = sides();
  const proof = said(dialler.hear(said(server.hear(dialler.first))));
  // To the dialler its own proof, and to a server its own words.
  expect(dialler.hear(proof)).toEqual({ refused: 'proof' });
  const other = sides();
  expect(other.server.hear(said(sides().server.hear(other.dialler.first)))).toEqual({
    refused: 'words',
  });
});

test('who is between two may not change what they say', () => {
  const bend = (text: string, change: Record<string, unknown>) =>
    JSON.stringify({ ...JSON.parse(text), ...change });
  for (const change of [{ run: 'run-9' }, { nonce: 'f'.repeat(32) }, { node: 'aa' }]) {
    const { dialler, server } = sides();
    const challenge = server.hear(bend(dialler.first, change));
    const proof = dialler.hear(said(challenge));
    expect(server.hear(said(proof))).toEqual({ refused: 'proof' });
  }
});

test('whatever comes instead of a handshake is refused, and nothing throws', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.string({ minLength: 2_000, maxLength: 2_000 }),
  );
  fc.assert(
    fc.property(anything, anything, (one, other) => {
      const { dialler, server } = sides();
      expect(server.hear(one)).toHaveProperty('refused');
      expect(dialler.hear(other)).toHaveProperty('refused');
      server.hear(dialler.first);
      expect(server.hear(other)).toEqual({ refused: expect.any(String) as unknown as 'words' });
    }),
  );
});

test('an address is host and port, whatever the scheme', () => {
  expect(linkAddress('https://node.example')).toBe('node.example:443');
  expect(linkAddress('http://node.example')).toBe('node.example:80');
  expect(linkAddress('wss://[::1]:8443')).toBe('[::1]:8443');
});
