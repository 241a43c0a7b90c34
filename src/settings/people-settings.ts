// Settings of people who sign in: how long a session lasts, how often somebody may try, how long what they did is known.
import { type SignInBounds, signInBounds } from '../library/people/sign-in-limits.ts';
import { type Settings, type SettingsOf, whole } from './setting.ts';

export const consoleSettings = {
  consoleSessionDays: {
    variable: 'CONSOLE_SESSION_DAYS',
    default: '30',
    sentence: 'Whoever has not used the console for so many days must sign in again.',
    read: whole(1, 400),
  },
  auditDays: {
    variable: 'AUDIT_DAYS',
    default: '365',
    sentence: 'Rows of the audit log older than so many days are removed; 0 keeps them for ever.',
    read: whole(0, 36_500),
  },
} satisfies Settings;

export const signInSettings: SettingsOf<SignInBounds> = {
  perPerson: {
    variable: 'SIGN_INS_PER_PERSON',
    default: String(signInBounds.perPerson),
    sentence:
      'Tries an hour to sign in as one person, a third of them at once; a browser that has signed in as this person before has as many of its own.',
    read: whole(3, 1_000_000),
  },
  perNetwork: {
    variable: 'SIGN_INS_PER_NETWORK',
    default: String(signInBounds.perNetwork),
    sentence: 'Tries an hour to sign in from one network, a third of them at once.',
    read: whole(3, 1_000_000),
  },
};
