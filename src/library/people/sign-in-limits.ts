// Every bound on those who sign in in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';

/** What may be tried: settings, and these are their defaults. */
export const signInBounds = Object.freeze({
  // Tries an hour of one person, whoever tries, a third of them at once: people mistype a few times, and a password of
  // eight characters that is not among the common ones outlives thirty guesses an hour for ever. A browser that has
  // signed in as this person has as many of its own.
  perPerson: 30,
  // Tries an hour of one network, a third of them at once: an office behind one address has a hundred people who sign
  // in on a morning.
  perNetwork: 120,
});

export type SignInBounds = Readonly<Record<keyof typeof signInBounds, number>>;

export function signInRates(bounds: SignInBounds): Record<'person' | 'network', Rate> {
  return { person: hourly(bounds.perPerson), network: hourly(bounds.perNetwork) };
}

function hourly(count: number): Rate {
  return { atOnce: Math.ceil(count / 3), everyMs: 3_600_000 / count };
}

/** What a run of Argon2id takes, memory in KB. */
export interface PasswordHash {
  algorithm: 'argon2id';
  memoryCost: number;
  timeCost: number;
}

/** How it is done. */
export const signInLimits = Object.freeze({
  // Argon2id as OWASP wants it at least: 19 MB and some 30 ms of one core for each run. It runs beside the main thread,
  // in threads that also read files.
  hash: { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const,
  // Runs at once, of strangers and of those who are known: on a machine of two cores the other one is left to everybody
  // else while only strangers try. It is some twenty people a second, networks in turns.
  runsMax: 1,
  // Those that wait for a run; one network may have half of what the others leave. The last waits for about a second.
  waitingMax: 32,

  // Sessions of a person: more browsers than anybody uses. The one that was used longest ago ends.
  sessionsMax: 50,
  // Every write makes remembered answers be made anew, so a session says only so often that it is used.
  usedEveryMs: 60_000,
  // What is kept of a browser's own text.
  userAgentCharactersMax: 1_024,

  // A link at a terminal is opened at once, an invitation when its mail is read.
  firstLinkMs: 3_600_000,
  resetLinkMs: 3_600_000,
  inviteLinkMs: 7 * 86_400_000,
  // Links of an account that are open: an office's worth of invitations.
  openLinksMax: 200,
  // People of an account: an answer lists them all.
  peopleMax: 1_000,
});
