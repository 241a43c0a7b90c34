// How often somebody may try to sign in: by person and by network, and browsers that have done so before on their own.
import { ApiError } from '../../base/api/errors.ts';
import { networkOf } from '../../base/lib/network.ts';
import { randomText } from '../../base/lib/secret.ts';
import { readSignedText, signedText } from '../../base/lib/signed-text.ts';
import { Allowances } from '../../base/peers/allowance.ts';
import { type SignInBounds, signInRates } from './sign-in-limits.ts';
import type { SignInBook, signInRefusals } from './sign-in-refusals.ts';

interface SignInAttemptsOptions {
  /** What marks of browsers are signed with. */
  secret: string;
  bounds: SignInBounds;
  isAllowed(network: string): boolean;
  refusals: SignInBook;
  now: () => number;
}

interface Attempt {
  /** Folded; also one that nobody has. */
  userName: string;
  /** Undefined where nobody has that name. */
  person_id: number | undefined;
  address: string;
  /** The mark that the browser carries. */
  mark: string | undefined;
}

/** Who uses an invitation. */
interface Invited {
  account_id: number;
  network: string;
}

const kind = 'console1';
const browserBits = 128;

/**
 * Strangers who try use up what a person has, and what their network has. A browser that has signed in as this person
 * carries a signed mark of it and has tries of its own, so strangers cannot keep the person out.
 */
export class SignInAttempts {
  private readonly options: SignInAttemptsOptions;

  private readonly persons: Allowances;
  private readonly networks: Allowances;
  private readonly browsers: Allowances;
  /** By account: user names that its invitations were tried with and that somebody has. */
  private readonly takenNames: Allowances;

  constructor(options: SignInAttemptsOptions) {
    this.options = options;
    const { person, network } = signInRates(options.bounds);
    this.persons = new Allowances(person);
    this.networks = new Allowances({ ...network, isAllowed: options.isAllowed });
    this.browsers = new Allowances(person);
    this.takenNames = new Allowances(network);
  }

  /** Takes one try; throws 429 where there is none. True where the browser has signed in as this person before. */
  take({ userName, person_id, address, mark }: Attempt): boolean {
    const network = networkOf(address);
    const browser = this.browserOf(mark, person_id);
    if (browser === undefined) this.takeShared(userName, network);
    else this.takeOwn(`browser ${person_id} ${browser}`, network);
    return browser !== undefined;
  }

  private takeShared(userName: string, network: string): void {
    const at = this.options.now();
    // Both are looked at before one is taken: who is refused by one uses up nothing of the other.
    const ofNetworkMs = this.networks.waitMs(network, at);
    if (ofNetworkMs > 0) throw this.refusal('network', network, ofNetworkMs);
    const ofPersonMs = this.persons.waitMs(userName, at);
    if (ofPersonMs > 0) throw this.refusal('person', network, ofPersonMs);
    this.networks.take(network, at);
    this.persons.take(userName, at);
  }

  /** The same for who holds a session or a link, which strangers do not have: it counts by itself. */
  takeOwn(whose: string, network: string): void {
    const at = this.options.now();
    if (this.browsers.take(whose, at)) return;
    throw this.refusal('person', network, this.browsers.waitMs(whose, at));
  }

  /**
   * For who uses an invitation, which tells whether a user name is taken. A name that is counts as a try of the network
   * and of the account, however many invitations it has; who has a free one uses up nothing.
   */
  checkNames({ account_id, network }: Invited): void {
    const at = this.options.now();
    const ofNetworkMs = this.networks.waitMs(network, at);
    if (ofNetworkMs > 0) throw this.refusal('network', network, ofNetworkMs);
    const ofAccountMs = this.takenNames.waitMs(`account ${account_id}`, at);
    if (ofAccountMs > 0) throw this.refusal('names', network, ofAccountMs);
  }

  nameWasTaken({ account_id, network }: Invited): void {
    const at = this.options.now();
    this.networks.take(network, at);
    this.takenNames.take(`account ${account_id}`, at);
  }

  /** The mark for a browser that has just signed in; it keeps the one it had. */
  markFor(person_id: number, mark: string | undefined): string {
    const browser = this.browserOf(mark, person_id) ?? randomText(browserBits);
    return signedText(this.options.secret, kind, `${person_id}.${browser}`);
  }

  private browserOf(mark: string | undefined, person_id: number | undefined): string | undefined {
    if (mark === undefined || person_id === undefined) return undefined;
    const payload = readSignedText(this.options.secret, kind, mark);
    const [marked, browser] = payload?.split('.') ?? [];
    return marked === String(person_id) ? browser : undefined;
  }

  private refusal(reason: keyof typeof signInRefusals, network: string, waitMs: number): ApiError {
    this.options.refusals.note(reason, network);
    return new ApiError('rateLimit', {
      message: 'Too many tries to sign in; try again later',
      headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
      isCounted: true,
    });
  }
}
