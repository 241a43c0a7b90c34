// The doorkeeper: whether what somebody typed lets them in, and how often they may try.
import { createHmac, randomBytes } from 'node:crypto';
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import { networkOf, siteOf } from '../../base/lib/network.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { randomText } from '../../base/lib/secret.ts';
import { Allowances } from '../../base/peers/allowance.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { plainPassword } from '../people/password.ts';
import { PasswordHashes } from '../people/password-hashes.ts';
import type { PasswordHash } from '../people/sign-in-limits.ts';
import { holderOfCode, keyOfCode, keyOfListed, readCode } from './access-code.ts';
import { isListed, placeOf, useCode } from './access-key-store.ts';
import type { Admission, AdmissionKind } from './admission.ts';
import { admissionLimits, triesAtDoor, triesOfNetwork, triesOfSite } from './admission-limits.ts';
import { type AdmissionBook, admissionRefusals } from './admission-refusals.ts';
import type { Admissions } from './admissions.ts';
import type { Pass } from './pass.ts';

interface DoorkeeperOptions {
  store: Pick<Store, 'for' | 'perform'>;
  /** The service's own, for codes. */
  secret: string;
  admissions: Pick<Admissions, 'pass'>;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  hash?: PasswordHash | undefined;
  now: () => number;
}

/** `wait`: tried too often, and for how long nothing is looked at. */
export type Answered = { pass: Pass } | 'wrong' | { waitMs: number };

/** What somebody typed at a door, by the names of its fields. */
export type Typed = Readonly<Record<string, unknown>>;

/** The field of the form; what lets nobody in by typing has none. */
const fieldOf: Record<AdmissionKind, string> = {
  open: '',
  password: 'password',
  codes: 'code',
  list: 'who',
  signed: '',
};

const holderBits = 64;
/** Passwords that were found to be right; each is some 100 bytes. */
const rightMax = 1_000;

export class Doorkeeper {
  private readonly options: DoorkeeperOptions;
  private readonly refusals: AdmissionBook;

  private readonly hashes: PasswordHashes;
  private readonly networks: Allowances;
  private readonly sites: Allowances;
  private readonly doors: Allowances;
  /** Of this process alone: what it keeps of a password is worth nothing elsewhere. */
  private readonly key = randomBytes(32);
  /** By revision: once one was right no other is, and a crowd that knows it costs a hash each and not a run of Argon2id. */
  private readonly right = new RecentMap<string, string>({ max: rightMax });
  /** The same password of many at once is compared once. */
  private readonly comparing = new Map<string, Promise<boolean>>();

  constructor(options: DoorkeeperOptions) {
    this.options = options;
    const { isAllowed } = options.peers;
    this.refusals = options.peers.refusals.book('admission', admissionRefusals);
    this.hashes = new PasswordHashes({ isAllowed, refusals: this.refusals, hash: options.hash });
    this.networks = new Allowances(triesOfNetwork);
    this.sites = new Allowances(triesOfSite);
    this.doors = new Allowances(triesAtDoor);
  }

  /** Of a new password. */
  hash(password: string, address: string): Promise<string> {
    return this.hashes.hash(password, { network: networkOf(address), isKnown: true });
  }

  async answer(admission: Admission, typed: Typed, address: string): Promise<Answered> {
    const network = networkOf(address);
    const waitMs = this.waitMs(admission, network);
    if (waitMs > 0) return { waitMs };
    const holder = await this.holderBy(admission, typed, address);
    // Tries at once are no more than tries one behind the other: others of the network were looked at meanwhile. A code
    // that was right is used by now; nobody guesses one.
    const isUsed = holder !== undefined && admission.rule.kind === 'codes';
    const lateMs = isUsed ? 0 : this.waitMs(admission, network);
    if (lateMs > 0) return { waitMs: lateMs };
    if (holder === undefined) {
      this.refusals.note('wrong', network);
      this.noteWrong(admission, network);
      return 'wrong';
    }
    const { cookieSeconds: seconds } = admissionLimits;
    return { pass: this.options.admissions.pass(admission, { holder, seconds }) };
  }

  /**
   * Only what was wrong is counted, so a crowd that knows the password waits for nobody. While a door is tried by very
   * many, a network that was not wrong there yet still has its try: who guesses keeps nobody out who knows.
   */
  private waitMs({ setBy }: Admission, network: string): number {
    const { now, peers } = this.options;
    if (peers.isAllowed(network)) return 0;
    const at = now();
    const whose = `${setBy} ${network}`;
    const ofNetworkMs = this.networks.waitMs(whose, at);
    const site = siteOf(network);
    const ofSiteMs = site === undefined ? 0 : this.sites.waitMs(`${setBy} ${site}`, at);
    const wasWrong = this.networks.waitMs(whose, at, triesOfNetwork.atOnce) > 0;
    const atDoorMs = wasWrong ? this.doors.waitMs(setBy, at) : 0;
    if (ofNetworkMs > 0 || ofSiteMs > 0) this.refusals.note('network', network);
    else if (atDoorMs > 0) this.refusals.note('door', network);
    return Math.max(ofNetworkMs, ofSiteMs, atDoorMs);
  }

  private noteWrong({ setBy }: Admission, network: string): void {
    const at = this.options.now();
    this.networks.take(`${setBy} ${network}`, at);
    const site = siteOf(network);
    if (site !== undefined) this.sites.take(`${setBy} ${site}`, at);
    this.doors.take(setBy, at);
  }

  /** Whether a uid or a phone that a link names is on the list. */
  async isListed(admission: Admission, entry: string, address: string): Promise<boolean> {
    const sql = this.options.store.for(ofNetwork(address));
    return entry !== '' && (await isListed(sql, placeOf(admission), entry));
  }

  /** Whom what was typed lets in; undefined where that is nobody. */
  private async holderBy(
    admission: Admission,
    typed: Typed,
    address: string,
  ): Promise<string | undefined> {
    const { rule } = admission;
    const text = typed[fieldOf[rule.kind]];
    if (typeof text !== 'string' || text.trim() === '') return undefined;
    if (text.length > admissionLimits.passwordCharactersMax) return undefined;
    switch (rule.kind) {
      case 'password': {
        const isRight = await this.isPassword(rule, text, networkOf(address));
        return isRight ? randomText(holderBits) : undefined;
      }
      case 'codes':
        return await this.holderOfCode(admission, text);
      case 'list': {
        const isOnIt = await this.isListed(admission, text, address);
        return isOnIt ? keyOfListed(text) : undefined;
      }
      default:
        return undefined;
    }
  }

  private async holderOfCode(admission: Admission, typed: string): Promise<string | undefined> {
    const code = readCode(typed);
    if (code === undefined) return undefined;
    const { key, id } = keyOfCode(this.options.secret, code);
    const order = { ...placeOf(admission), key };
    return (await this.options.store.perform(useCode, order)) ? holderOfCode(id) : undefined;
  }

  private async isPassword(
    { revision, password_hash }: Admission['rule'],
    password: string,
    network: string,
  ): Promise<boolean> {
    const digest = createHmac('sha256', this.key).update(plainPassword(password)).digest('hex');
    const right = this.right.get(revision);
    // Two keyed digests: how far they agree tells nothing of the password.
    if (right !== undefined) return right === digest;
    const compared = `${revision} ${digest}`;
    const underWay = this.comparing.get(compared);
    if (underWay) return await underWay;
    const asker = { network, isKnown: false };
    const begun = this.hashes.isRight(password, password_hash, asker).finally(() => {
      this.comparing.delete(compared);
    });
    this.comparing.set(compared, begun);
    const isRight = await begun;
    if (isRight) this.right.set(revision, digest);
    return isRight;
  }
}
