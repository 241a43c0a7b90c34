// Argon2id, a few runs at once: each takes memory and time that anybody may ask for.
import { busy } from '../../base/api/errors.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { Share } from '../../base/turns/share.ts';
import { plainPassword } from './password.ts';
import { signInLimits } from './sign-in-limits.ts';
import type { SignInBook } from './sign-in-refusals.ts';

interface PasswordHashesOptions {
  /** Whether an operator lets a network have as many as there are. */
  isAllowed(network: string): boolean;
  refusals: SignInBook;
}

export class PasswordHashes {
  private readonly options: PasswordHashesOptions;

  private readonly places: FairPlaces;
  /** Those that run and those that wait. */
  private readonly waiting: Share;
  /** What a password is compared with where there is no such person. */
  private nobodys: Promise<string> | undefined;

  /** Since the start: who signs in under a name that nobody has costs as many. */
  runs = 0;

  constructor(options: PasswordHashesOptions) {
    this.options = options;
    const { isAllowed } = options;
    this.places = new FairPlaces({ placesMax: signInLimits.runsMax, isAllowed });
    this.waiting = new Share({ placesMax: signInLimits.waitingMax, isAllowed });
  }

  hash(password: string, network: string): Promise<string> {
    return this.run(network, () => Bun.password.hash(plainPassword(password), signInLimits.hash));
  }

  /** `hash` is undefined where there is nobody of that name: as much is done, and it is never right. */
  async isRight(password: string, hash: string | undefined, network: string): Promise<boolean> {
    this.nobodys ??= Bun.password.hash('nobody has this password', signInLimits.hash);
    const compared = hash ?? (await this.nobodys);
    const isRight = await this.run(network, () =>
      Bun.password.verify(plainPassword(password), compared),
    );
    return isRight && hash !== undefined;
  }

  private async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting.refusal(network)) {
      this.options.refusals.note('busy', network);
      throw busy('Too many passwords wait to be checked');
    }
    this.waiting.take(network);
    try {
      const made = await this.places.run({ whose: network }, async () => {
        this.runs += 1;
        return { value: await work() };
      });
      // Nobody gives its place in the line up.
      if (!made) throw new Error('a password was not checked');
      return made.value;
    } finally {
      this.waiting.leave(network);
    }
  }
}
