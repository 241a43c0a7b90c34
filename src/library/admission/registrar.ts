// The registrar: keeps what somebody has filled into a form, and how often strangers may make it do so.
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { randomText } from '../../base/lib/secret.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { placeOf } from './access-key-store.ts';
import type { Admission, Admitted } from './admission.ts';
import {
  admissionLimits,
  registrationsAtDoor,
  registrationsOfNetwork,
  registrationsOfSite,
} from './admission-limits.ts';
import type { AdmissionBook } from './admission-refusals.ts';
import type { Admissions } from './admissions.ts';
import { DoorAllowances } from './door-allowances.ts';
import { holderOfRegistration, type Pass } from './pass.ts';
import { type AnswerProblems, readAnswers } from './registration-form.ts';
import { countRegistrations, register } from './registration-store.ts';

interface RegistrarOptions {
  store: Pick<Store, 'for' | 'perform'>;
  admissions: Pick<Admissions, 'pass'>;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: Pick<AdmissionBook, 'note'>;
  now: () => number;
}

type Registered =
  | { pass: Pass }
  | { problems: AnswerProblems }
  | { waitMs: number }
  | 'full'
  | 'ended';

interface Counted {
  count: number;
  at: number;
}

/** Nobody meets another's, nor guesses it. */
const idBits = 128;
/** Doors whose registrations were counted lately. */
const doorsMax = 1_000;

export class Registrar {
  private readonly options: RegistrarOptions;
  private readonly allowances: DoorAllowances;

  private readonly counts = new RecentMap<Admitted, Counted>({ max: doorsMax });

  constructor(options: RegistrarOptions) {
    this.options = options;
    this.allowances = new DoorAllowances({
      ofNetwork: registrationsOfNetwork,
      ofSite: registrationsOfSite,
      atDoor: registrationsAtDoor,
      isAllowed: options.peers.isAllowed,
      refusals: options.refusals,
    });
  }

  /** Answers that are not right are told, and cost nobody anything. */
  async register(
    admission: Admission,
    typed: Readonly<Record<string, unknown>>,
    { network, viewer_id }: { network: string; viewer_id: string },
  ): Promise<Registered> {
    const { store, now, refusals } = this.options;
    const { setBy, rule } = admission;
    const { form = [] } = rule;
    const read = readAnswers(form, typed);
    if ('problems' in read) return read;
    const waitMs = this.allowances.waitMs(setBy, network, now());
    if (waitMs > 0) return { waitMs };
    this.allowances.take(setBy, network, now());
    const counted = await this.counted(admission, network);
    if (counted.count >= admissionLimits.registrationsMax) {
      refusals.note('full', network);
      return 'full';
    }
    counted.count += 1;
    const id = await store.perform(register, {
      ...placeOf(admission),
      viewer_id,
      id: randomText(idBits),
      names: form.map(({ name }) => name),
      answers: read.answers,
      now: now(),
    });
    return id === undefined ? 'ended' : { pass: this.passOf(admission, id) };
  }

  private passOf(admission: Admission, id: string): Pass {
    const { cookieSeconds: seconds } = admissionLimits;
    return this.options.admissions.pass(admission, { holder: holderOfRegistration(id), seconds });
  }

  /** Counted anew now and then: each that is made meanwhile is added, though its viewer may have registered before. */
  private async counted(admission: Admission, network: string): Promise<Counted> {
    const { store, now } = this.options;
    const { setBy } = admission;
    const known = this.counts.get(setBy);
    if (known && now() - known.at < admissionLimits.registrationsCountedMs) return known;
    const count = await countRegistrations(store.for(ofNetwork(network)), placeOf(admission));
    const counted = { count, at: now() };
    this.counts.set(setBy, counted);
    return counted;
  }
}
