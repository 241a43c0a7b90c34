// People who sign in, joined: their passwords, tries, cookies and sessions.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { Peers } from '../../base/peers/peers.ts';
import type { Audit } from '../audit/audit.ts';
import { ConsoleCallers } from './console-callers.ts';
import { type ConsoleCookies, consoleCookies } from './console-cookie.ts';
import { PasswordHashes } from './password-hashes.ts';
import { SignInAttempts } from './sign-in-attempts.ts';
import type { PasswordHash, SignInBounds } from './sign-in-limits.ts';
import { type SignInBook, signInRefusals } from './sign-in-refusals.ts';

interface PeopleOptions {
  store: Store;
  audit: Pick<Audit, 'refusedSignIn'>;
  /** What marks of browsers are signed with. */
  secret: string;
  bounds: SignInBounds;
  passwordHash?: PasswordHash | undefined;
  /** A session that is not used for so many days is over. */
  sessionDays: number;
  /** Whether browsers reach us by HTTPS. */
  isSecure: boolean;
  zone: Zone;
  /** What a browser calls itself, in words. */
  deviceOf(userAgent: string): { device: string; browser: string };
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  now: () => number;
  log: Log;
}

/** What the operations about people work with. */
export interface PeopleParts
  extends Pick<PeopleOptions, 'store' | 'audit' | 'zone' | 'deviceOf' | 'now'> {
  sessionMs: number;
  cookies: ConsoleCookies;
  attempts: SignInAttempts;
  passwords: PasswordHashes;
  refusals: SignInBook;
}

export interface People {
  parts: PeopleParts;
  callers: ConsoleCallers;
}

const dayMs = 86_400_000;

export function openPeople(options: PeopleOptions): People {
  const { store, audit, secret, bounds, zone, deviceOf, peers, now, log } = options;
  const isAllowed = (network: string) => peers.isAllowed(network);
  const refusals = peers.refusals.book('sign_in', signInRefusals);
  const cookies = consoleCookies(options);
  const sessionMs = options.sessionDays * dayMs;
  return {
    parts: {
      store,
      audit,
      zone,
      deviceOf,
      now,
      sessionMs,
      cookies,
      attempts: new SignInAttempts({ secret, bounds, isAllowed, refusals, now }),
      passwords: new PasswordHashes({ isAllowed, refusals, hash: options.passwordHash }),
      refusals,
    },
    callers: new ConsoleCallers({ store, cookies, sessionMs, now, log }),
  };
}
