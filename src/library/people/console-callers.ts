// Who asks by the console's cookie: the person whose session it is.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { unauthorized } from '../access/bearers.ts';
import { KnownHolders, type Shown } from '../access/known-holders.ts';
import type { ConsoleCookies } from './console-cookie.ts';
import { looksLikeConsoleSecret } from './console-secret.ts';
import { findSession, type SessionHolder, useSession } from './console-session-store.ts';
import { signInLimits } from './sign-in-limits.ts';

export interface ConsoleCallersOptions {
  store: Store;
  cookies: ConsoleCookies;
  /** A session that is not used for so long is over. */
  sessionMs: number;
  now: () => number;
  log: Log;
}

/** Sessions of which it is remembered that they were just used. */
const usedMax = 10_000;

export class ConsoleCallers {
  private readonly options: ConsoleCallersOptions;

  private readonly holders: KnownHolders<SessionHolder>;
  /** By session, when we last wrote that it is used. */
  private readonly used = new RecentMap<number, number>({ max: usedMax });

  constructor(options: ConsoleCallersOptions) {
    this.options = options;
    const { store, now } = options;
    this.holders = new KnownHolders({ store, now, look: findSession });
  }

  /** The secrets of sessions in a request's `Cookie` header: one, where nobody has meddled. */
  secretsIn(cookie: string | null): string[] {
    return this.options.cookies.sessionsIn(cookie);
  }

  /**
   * Throws 401. A session that was ended is refused from the next request on. Of several cookies the one that is good
   * counts; of two good ones nobody can tell whose browser it is.
   */
  async find(secrets: readonly string[], shown: Shown): Promise<SessionHolder> {
    const looked = await Promise.all(secrets.map((secret) => this.look(secret, shown)));
    const [holder, ...others] = looked.filter((one) => typeof one !== 'string');
    if (others.length > 0) throw unauthorized('The request carries the cookies of two sessions');
    if (!holder) throw unauthorized(String(looked[0] ?? 'The request carries no session'));
    this.noteUse(holder, shown.address);
    return holder;
  }

  /** Why not, where there is no such session. */
  private async look(secret: string, shown: Shown): Promise<SessionHolder | string> {
    if (!looksLikeConsoleSecret(secret)) return 'The session is not well formed';
    return (
      this.holders.remembered(secret, shown.version) ??
      (await this.holders.find(secret, secret, shown))
    );
  }

  /** Nobody waits for it, and what was asked for is answered without it too. */
  private noteUse(holder: SessionHolder, address: () => string): void {
    const { account_id, session, last_used_at } = holder;
    const { store, sessionMs, log } = this.options;
    const now = this.options.now();
    const known = Math.max(last_used_at, this.used.peek(session.id) ?? 0);
    if (now - known < signInLimits.usedEveryMs) return;
    this.used.set(session.id, now);
    const expires_at = now + sessionMs;
    const use = { account_id, id: session.id, now, expires_at, address: address() };
    store.perform(useSession, use).catch((error) => {
      log.debug('it could not be written that a session is used', { error });
    });
  }
}
