// Argon2id, a few runs at once: each takes memory and time that anybody may ask for.
import { busy } from '../../base/api/errors.ts';
import type { RefusalBook } from '../../base/peers/refusals.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { Share } from '../../base/turns/share.ts';
import { plainPassword } from './password.ts';
import { type PasswordHash, signInLimits } from './sign-in-limits.ts';

interface PasswordHashesOptions {
  /** Whether an operator lets a network have as many as there are. */
  isAllowed(network: string): boolean;
  refusals: Pick<RefusalBook<'busy'>, 'note'>;
  /** What tests that are about something else hash with; the usual takes what a guesser is to pay. */
  hash?: PasswordHash | undefined;
}

/** Whose password it is. */
export interface PasswordAsker {
  network: string;
  /** A browser that has signed in as this person before, or who holds a session or a link: strangers have none of these. */
  isKnown: boolean;
}

/** Who is known does not stand behind strangers, however many networks those have. */
interface Line {
  places: FairPlaces;
  /** Those that run and those that wait. */
  waiting: Share;
}

export class PasswordHashes {
  private readonly options: PasswordHashesOptions;

  private readonly cost: PasswordHash;
  private readonly strangers: Line;
  private readonly known: Line;
  /** What a password is compared with where there is no such person. */
  private nobodys: Promise<string> | undefined;

  /** Since the start: who signs in under a name that nobody has costs as many. */
  runs = 0;

  constructor(options: PasswordHashesOptions) {
    this.options = options;
    this.cost = options.hash ?? signInLimits.hash;
    this.strangers = newLine(options);
    this.known = newLine(options);
  }

  hash(password: string, asker: PasswordAsker): Promise<string> {
    return this.run(asker, () => Bun.password.hash(plainPassword(password), this.cost));
  }

  /** `hash` is undefined where there is nobody of that name: as much is done, and it is never right. */
  async isRight(
    password: string,
    hash: string | undefined,
    asker: PasswordAsker,
  ): Promise<boolean> {
    this.nobodys ??= Bun.password.hash('nobody has this password', this.cost);
    const compared = hash ?? (await this.nobodys);
    const isRight = await this.run(asker, () =>
      Bun.password.verify(plainPassword(password), compared),
    );
    return isRight && hash !== undefined;
  }

  private async run<T>(asker: PasswordAsker, work: () => Promise<T>): Promise<T> {
    const { network, isKnown } = asker;
    const { places, waiting } = isKnown ? this.known : this.strangers;
    if (waiting.refusal(network)) {
      this.options.refusals.note('busy', network);
      throw busy('Too many passwords wait to be checked');
    }
    waiting.take(network);
    try {
      const made = await places.run({ whose: network }, async () => {
        this.runs += 1;
        return { value: await work() };
      });
      // Nobody gives its place in the line up.
      if (!made) throw new Error('a password was not checked');
      return made.value;
    } finally {
      waiting.leave(network);
    }
  }
}

function newLine({ isAllowed }: PasswordHashesOptions): Line {
  return {
    places: new FairPlaces({ placesMax: signInLimits.runsMax, isAllowed }),
    waiting: new Share({ placesMax: signInLimits.waitingMax, isAllowed }),
  };
}
