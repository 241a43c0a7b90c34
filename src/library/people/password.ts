// What a password may be besides long enough: not what everybody tries first.
import { invalidField } from '../../base/api/errors.ts';
import { commonPasswords } from './common-passwords.ts';
import { foldedUserName } from './user-name.ts';

/** Throws a 400 that names the field and does not repeat what came. */
export function checkPassword(password: string, person: { user_name: string }): void {
  const fault = faultOf(password, person);
  if (fault !== undefined) throw invalidField('password', `password ${fault}`);
}

function faultOf(password: string, { user_name }: { user_name: string }): string | undefined {
  const folded = foldedUserName(password);
  if (folded === foldedUserName(user_name)) return 'must not be the user name';
  if (commonPasswords.has(folded) || isOneCharacter(folded))
    return 'must not be one that very many people have';
  return undefined;
}

/** One keyboard writes an é in one character, another in two. */
export function plainPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Folded, one of nothing but spaces is empty. */
function isOneCharacter(password: string): boolean {
  return new Set(password).size <= 1;
}
