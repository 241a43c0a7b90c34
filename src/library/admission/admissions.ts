// What is known of who may watch what, in memory: media asks for every part, and waits for no database.
import type { Sql, Store } from '../../base/db/sql.ts';
import { ofNetwork, ofService } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { signatureOf } from '../../base/lib/signed-text.ts';
import type { Admission, StoredAdmission } from './admission.ts';
import { admissionLimits } from './admission-limits.ts';
import { admissionOfChannel, admissionOfPlay, admissionOfVideo } from './admission-store.ts';
import { markOf, type Pass, readPass, type Standing, signPass, standingOf } from './pass.ts';
import { SignedNames } from './signed-names.ts';

interface AdmissionsOptions {
  store: Pick<Store, 'for'>;
  /** The service's own, for passes and names. */
  secret: string;
  now: () => number;
  monotonicMs: () => number;
  log: Log;
}

/** Undefined where there is no such thing. */
export type Known = Admission | undefined;

interface Kept {
  known: Known;
  at: number;
}

type Look = (sql: Sql) => Promise<Known>;

export class Admissions {
  private readonly options: AdmissionsOptions;

  private kept = new RecentMap<string, Kept>({ max: admissionLimits.knownMax });
  /** Those who ask meanwhile wait for the same. */
  private looking = new Map<string, Promise<Known>>();
  /** Marks of those whose passes were ended, by the rule that names them; it is another object when it has changed. */
  private readonly ended = new WeakMap<StoredAdmission, ReadonlySet<string>>();
  /** By what they are signed for. */
  private readonly names = new RecentMap<string, SignedNames>({ max: admissionLimits.knownMax });

  constructor(options: AdmissionsOptions) {
    this.options = options;
  }

  /** At once where it is known; `address` is of who asks. */
  ofPlay(play_id: string, address: () => string): Known | Promise<Known> {
    return this.find(`p${play_id}`, address, (sql) => admissionOfPlay(sql, play_id));
  }

  ofVideo(id: number, address: () => string): Known | Promise<Known> {
    return this.find(`v${id}`, address, (sql) => admissionOfVideo(sql, id));
  }

  ofChannel(id: number, address?: () => string): Known | Promise<Known> {
    return this.find(`c${id}`, address, (sql) => admissionOfChannel(sql, id));
  }

  /** Somebody has changed what is known: everything is looked at anew. */
  changed(): void {
    this.kept = new RecentMap({ max: admissionLimits.knownMax });
    // What was begun before may have been read before.
    this.looking = new Map();
  }

  /** Of the text of a pass. */
  standing(admission: Admission, pass: string | undefined): Standing {
    const read = pass === undefined ? undefined : readPass(this.options.secret, pass);
    return this.standingOf(admission, read);
  }

  standingOf(admission: Admission, pass: Pass | undefined): Standing {
    return standingOf(admission, pass, {
      now: this.options.now(),
      ended: this.endedBy(admission.rule),
    });
  }

  read(text: string): Pass | undefined {
    return readPass(this.options.secret, text);
  }

  /** A pass for so long, of what the word holds for. */
  pass(
    { setBy, rule }: Admission,
    given: { of?: Pass['of']; holder: string; seconds: number },
  ): Pass {
    const { of = setBy, holder, seconds } = given;
    const expires = Math.floor(this.options.now() / 1_000) + seconds;
    return { of, revision: rule.revision, mark: markOf(this.options.secret, holder), expires };
  }

  sign(pass: Pass): string {
    return signPass(this.options.secret, pass);
  }

  /** The names of its parts; another revision has others. */
  namesOf({ setBy, rule }: Admission): SignedNames {
    const whose = `names.${setBy}.${rule.revision}`;
    const known = this.names.get(whose);
    if (known) return known;
    const made = new SignedNames(signatureOf(this.options.secret, whose, 'base64url'));
    this.names.set(whose, made);
    return made;
  }

  private endedBy(rule: StoredAdmission): ReadonlySet<string> {
    const known = this.ended.get(rule);
    if (known) return known;
    const marks = new Set(rule.ended.map((holder) => markOf(this.options.secret, holder)));
    this.ended.set(rule, marks);
    return marks;
  }

  private find(
    key: string,
    address: (() => string) | undefined,
    look: Look,
  ): Known | Promise<Known> {
    const kept = this.kept.get(key);
    const age = kept ? this.options.monotonicMs() - kept.at : Number.POSITIVE_INFINITY;
    if (kept && age < admissionLimits.knownMs) return kept.known;
    const whose = address ? ofNetwork(address()) : ofService();
    const looking = this.look(key, whose, look);
    if (!kept) return looking;
    // A database that is away ends no show.
    const found = looking.catch((error) => {
      this.options.log.debug('who may watch could not be looked at', { error });
      return kept.known;
    });
    return age < admissionLimits.staleMs ? kept.known : found;
  }

  private look(key: string, whose: string, look: Look): Promise<Known> {
    const { kept, looking } = this;
    const underWay = looking.get(key);
    if (underWay) return underWay;
    const begun = (async () => {
      try {
        const known = await look(this.options.store.for(whose));
        kept.set(key, { known, at: this.options.monotonicMs() });
        return known;
      } finally {
        looking.delete(key);
      }
    })();
    looking.set(key, begun);
    return begun;
  }
}
