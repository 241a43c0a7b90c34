// Names of parts that cannot be guessed: each carries a signature, so it says by itself that it was shown to somebody.
import { RecentMap } from '../../base/lib/recent-map.ts';
import { isSameSignature, signatureOf } from '../../base/lib/signed-text.ts';

/** 132 bits. */
const signatureCharacters = 22;
/** Of the window of a show with four sizes, twice. */
const keptMax = 1_024;

/**
 * Whoever has read a playlist has the names in it and no other: not that of the next part, nor of any later one. A name
 * is always the same, so a cache in front keeps one copy for everybody.
 */
export class SignedNames {
  private readonly secret: string;
  private readonly kept = new RecentMap<string, string>({ max: keptMax });

  constructor(secret: string) {
    this.secret = secret;
  }

  signed(name: string): string {
    const signature = this.kept.get(name) ?? this.made(name);
    this.kept.set(name, signature);
    return `${signature}.${name}`;
  }

  /** The name; undefined where it is not signed so. */
  plain(signed: string): string | undefined {
    if (signed[signatureCharacters] !== '.') return undefined;
    const name = signed.slice(signatureCharacters + 1);
    const given = signed.slice(0, signatureCharacters);
    const known = this.kept.get(name);
    const right = known ?? this.made(name);
    if (!isSameSignature(given, right)) return undefined;
    // What anybody may ask for is not kept: only what is right.
    if (known === undefined) this.kept.set(name, right);
    return name;
  }

  private made(name: string): string {
    return signatureOf(this.secret, name, 'base64url').slice(0, signatureCharacters);
  }
}
