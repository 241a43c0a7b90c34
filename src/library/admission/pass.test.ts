// Passes and signed names: what is theirs opens, and nothing else does.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Admission, openToAll } from './admission.ts';
import {
  expiryOfLink,
  holderOfLink,
  markOf,
  type Pass,
  readPass,
  signPass,
  standingOf,
} from './pass.ts';
import { SignedNames } from './signed-names.ts';

const secret = 'a secret of the service';
const now = Date.UTC(2026, 4, 4, 12);
const pass: Pass = {
  of: 'c7',
  revision: 'r1',
  mark: markOf(secret, 'uid 李雷'),
  expires: now / 1_000 + 60,
};
const rule = { ...openToAll, kind: 'signed', revision: 'r1', ended: ['somebody'] } as const;
const channel: Admission = {
  account_id: 1,
  channel_id: 7,
  thing: 'c7',
  setBy: 'c7',
  rule: { ...rule, ended: [...rule.ended] },
};
const judged = { now, ended: new Set(rule.ended.map((holder) => markOf(secret, holder))) };
const video: Admission = { ...channel, thing: 'v3' };

test('a pass is read as it was signed, and by its own secret alone', () => {
  const text = signPass(secret, pass);
  expect(text).toMatch(/^[\w.-]+$/);
  expect(readPass(secret, text)).toEqual(pass);
  expect(readPass('another', text)).toBeUndefined();
});

test('nobody reads in a pass whom it was given to', () => {
  const said = signPass(secret, pass)
    .split('.')
    .map((piece) => Buffer.from(piece, 'base64url').toString());
  expect(said.join(' ')).toContain('c7');
  expect(said.join(' ')).not.toContain('李雷');
});

test('the holder of a link says until when it is good, and no other holder does', () => {
  const expires = Math.floor(now / 1_000) + 366 * 86_400;
  expect(expiryOfLink(holderOfLink('4nT2kQ9xLwB', expires))).toBe(expires);
  for (const other of ['4nT2kQ9xLwB', 'uid 1.2', 'code 5f1c', 'a.', '.a', 'a.b c', 'a.B'])
    expect(expiryOfLink(other)).toBeUndefined();
});

test('whatever is changed in a pass makes it none', () => {
  const text = signPass(secret, pass);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ minLength: 0, maxLength: 3 }), (at, put) => {
      const bent = text.slice(0, at) + put + text.slice(at + 1);
      expect(bent === text || readPass(secret, bent) === undefined).toBe(true);
    }),
  );
});

test.each([
  ['of the channel', channel, {}, 'good'],
  ['of its channel, for a video that goes by it', video, {}, 'good'],
  ['of the video itself', video, { of: 'v3' }, 'good'],
  ['of a video, for its channel', channel, { of: 'v3' }, 'other'],
  ['of its channel, for a video with a word of its own', { ...video, setBy: 'v3' }, {}, 'other'],
  ['of another channel', channel, { of: 'c8' }, 'other'],
  ['of a revision before', channel, { revision: 'r0' }, 'ended'],
  ['of one whose passes were ended', channel, { mark: markOf(secret, 'somebody') }, 'ended'],
  ['that has just expired', channel, { expires: now / 1_000 }, 'expired'],
] as const)('a pass %s', (_, admission, more, standing) => {
  expect(standingOf(admission, { ...pass, ...more }, judged)).toBe(standing);
});

test('without a pass nobody may, and where everybody may none is needed', () => {
  expect(standingOf(channel, undefined, judged)).toBe('none');
  expect(standingOf({ ...channel, rule: openToAll }, undefined, judged)).toBe('good');
});

test('a signed name is always the same, and says nothing of another', () => {
  const names = new SignedNames(secret);
  const signed = names.signed('1700000000.3.m4s');
  expect(new SignedNames(secret).signed('1700000000.3.m4s')).toBe(signed);
  expect(names.plain(signed)).toBe('1700000000.3.m4s');
  // Of another size it is another name.
  expect(names.plain(signed.replace('.17', '.480p-17'))).toBeUndefined();
  expect(names.plain(signed.replace('.3.m4s', '.4.m4s'))).toBeUndefined();
  expect(names.plain('1700000000.3.m4s')).toBeUndefined();
  expect(new SignedNames('another').plain(signed)).toBeUndefined();
});
