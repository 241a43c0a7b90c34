// The doorkeeper: whether what somebody typed lets them in, and how often they may try.
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import { networkOf } from '../../base/lib/network.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { randomText } from '../../base/lib/secret.ts';
import { signatureOf } from '../../base/lib/signed-text.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { plainPassword } from '../people/password.ts';
import { type PasswordAsker, PasswordHashes } from '../people/password-hashes.ts';
import type { PasswordHash } from '../people/sign-in-limits.ts';
import { holderOfCode, keyOfCode, keyOfListed, readCode } from './access-code.ts';
import { isListed, placeOf, useCode } from './access-key-store.ts';
import type { Admission, AdmissionKind } from './admission.ts';
import { admissionLimits, triesAtDoor, triesOfNetwork, triesOfSite } from './admission-limits.ts';
import { type AdmissionBook, admissionRefusals } from './admission-refusals.ts';
import type { Admissions } from './admissions.ts';
import { DoorAllowances } from './door-allowances.ts';
import type { Pass } from './pass.ts';
import { Registrar } from './registrar.ts';
import type { AnswerProblems } from './registration-form.ts';

interface DoorkeeperOptions {
  store: Pick<Store, 'for' | 'perform'>;
  /** The service's own, for codes and for what is kept of a right password. */
  secret: string;
  admissions: Pick<Admissions, 'pass'>;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  hash?: PasswordHash | undefined;
  /** Other nodes learn it. */
  onRight?(right: RightPassword): void;
  now: () => number;
}

/** By what is stored of a password: what it signs as. It is kept in memory alone. */
export interface RightPassword {
  hash: string;
  digest: string;
}

/**
 * `waitMs`: tried too often, and for how long nothing is looked at. Of a form: what is wrong with the answers, that as many
 * have registered as may, or that the viewer's registration was taken back.
 */
export type Answered =
  | { pass: Pass }
  | 'wrong'
  | { waitMs: number }
  | { problems: AnswerProblems }
  | 'full'
  | 'ended';

/** What somebody typed at a door, by the names of its fields. */
export type Typed = Readonly<Record<string, unknown>>;

/** Who typed it. */
export interface Typist {
  address: string;
  /** As the account knows them, or will. */
  viewer_id: string;
  /** They have been let in here before, by whatever held then: they do not wait behind strangers. */
  isKnown?: boolean | undefined;
}

/** The field of the form; what lets nobody in by typing has none. */
const fieldOf: Partial<Record<AdmissionKind, string>> = {
  password: 'password',
  codes: 'code',
  list: 'who',
};

const holderBits = 64;
/** Passwords that were found to be right; each is some 100 bytes. */
const rightMax = 1_000;

export class Doorkeeper {
  private readonly options: DoorkeeperOptions;
  private readonly refusals: AdmissionBook;

  private readonly hashes: PasswordHashes;
  private readonly registrar: Registrar;
  private readonly tries: DoorAllowances;
  /**
   * By what is stored of a password: once one was right, or was set, here or on another node, no other is, and a crowd that
   * knows it, or guesses, costs a signature each and not a run of Argon2id.
   */
  private readonly right = new RecentMap<string, RightPassword>({ max: rightMax });
  /** The same password of many at once is compared once. */
  private readonly comparing = new Map<string, Promise<boolean>>();

  constructor(options: DoorkeeperOptions) {
    this.options = options;
    const { isAllowed } = options.peers;
    this.refusals = options.peers.refusals.book('admission', admissionRefusals);
    this.hashes = new PasswordHashes({ isAllowed, refusals: this.refusals, hash: options.hash });
    const { refusals } = this;
    this.registrar = new Registrar({ ...options, refusals });
    const rates = { ofNetwork: triesOfNetwork, ofSite: triesOfSite, atDoor: triesAtDoor };
    this.tries = new DoorAllowances({ ...rates, isAllowed, refusals });
  }

  /** Of a new password. */
  async hash(password: string, address: string): Promise<string> {
    const hash = await this.hashes.hash(password, { network: networkOf(address), isKnown: true });
    this.found({ hash, digest: this.digestOf(hash, password) });
    return hash;
  }

  /** Of another node. */
  learn(right: RightPassword): void {
    this.right.set(right.hash, right);
  }

  get known(): Iterable<RightPassword> {
    return this.right.values();
  }

  private found(right: RightPassword): void {
    this.learn(right);
    this.options.onRight?.(right);
  }

  async answer(admission: Admission, typed: Typed, typist: Typist): Promise<Answered> {
    const { address, viewer_id } = typist;
    const network = networkOf(address);
    if (admission.rule.kind === 'form')
      return await this.registrar.register(admission, typed, { network, viewer_id });
    const waitMs = this.waitMs(admission, network);
    if (waitMs > 0) return { waitMs };
    const holder = await this.holderBy(admission, typed, typist);
    // Tries at once are no more than tries one behind the other: others of the network were looked at meanwhile. A code
    // that was right is used by now; nobody guesses one.
    const isUsed = holder !== undefined && admission.rule.kind === 'codes';
    const lateMs = isUsed ? 0 : this.waitMs(admission, network);
    if (lateMs > 0) return { waitMs: lateMs };
    if (holder === undefined) {
      this.refusals.note('wrong', network);
      this.tries.take(admission.setBy, network, this.options.now());
      return 'wrong';
    }
    const { cookieSeconds: seconds } = admissionLimits;
    return { pass: this.options.admissions.pass(admission, { holder, seconds }) };
  }

  /** Only what was wrong is counted, so a crowd that knows the password waits for nobody. */
  private waitMs({ setBy }: Admission, network: string): number {
    return this.tries.waitMs(setBy, network, this.options.now());
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
    { address, isKnown = false }: Typist,
  ): Promise<string | undefined> {
    const { rule } = admission;
    const text = typed[fieldOf[rule.kind] ?? ''];
    if (typeof text !== 'string' || text.trim() === '') return undefined;
    if (text.length > admissionLimits.passwordCharactersMax) return undefined;
    switch (rule.kind) {
      case 'password': {
        const asker = { network: networkOf(address), isKnown };
        const isRight = await this.isPassword(rule, text, asker);
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
    { password_hash: hash = '' }: Admission['rule'],
    password: string,
    asker: PasswordAsker,
  ): Promise<boolean> {
    const digest = this.digestOf(hash, password);
    const right = this.right.get(hash);
    // Two signatures: how far they agree tells nothing of the password.
    if (right) return right.digest === digest;
    const underWay = this.comparing.get(digest);
    if (underWay) return await underWay;
    const begun = this.hashes.isRight(password, hash || undefined, asker).finally(() => {
      this.comparing.delete(digest);
    });
    this.comparing.set(digest, begun);
    const isRight = await begun;
    if (isRight) this.found({ hash, digest });
    return isRight;
  }

  private digestOf(hash: string, password: string): string {
    return signatureOf(this.options.secret, `door.${hash}.${plainPassword(password)}`, 'hex');
  }
}
