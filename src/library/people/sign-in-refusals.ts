// Why somebody who signs in is refused: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const signInRefusals = {
  wrong: 'The user name or the password was wrong',
  person: 'Too many tries to sign in as one person (SIGN_INS_PER_PERSON)',
  network: 'Its network has tried to sign in too often (SIGN_INS_PER_NETWORK)',
  names:
    'Invitations of one account were tried with too many user names that are taken (SIGN_INS_PER_NETWORK)',
  busy: 'As many passwords wait to be checked as may, or its share of them',
} as const;

export type SignInBook = RefusalBook<keyof typeof signInRefusals>;
