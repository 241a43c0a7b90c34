// The console's cookies: the session's secret, and the mark of a browser that has signed in before.

export interface ConsoleCookies {
  /**
   * The secrets of sessions in a request's `Cookie` header. The browser has one of ours; over plain HTTP another port of
   * this host can set others of its name, for paths of their own.
   */
  sessionsIn(header: string | null): string[];
  /** The mark in it. */
  browserIn(header: string | null): string | undefined;
  session(secret: string): string;
  browser(mark: string): string;
  /** Ends the session's cookie; the mark stays. */
  cleared(): string;
}

/** As long as browsers keep a cookie at most. When a session ends, the database says. */
const cookieSeconds = 400 * 24 * 3_600;

/** `isSecure`: browsers reach us by HTTPS. Then no neighbour below the same domain can set a cookie of these names. */
export function consoleCookies({ isSecure }: { isSecure: boolean }): ConsoleCookies {
  const prefix = isSecure ? '__Host-' : '';
  const sessionName = `${prefix}footlight_console`;
  const browserName = `${prefix}footlight_browser`;
  const written = (name: string, value: string, seconds: number) =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    sessionsIn: (header) => cookiesIn(header, sessionName),
    browserIn: (header) => cookiesIn(header, browserName)[0],
    session: (secret) => written(sessionName, secret, cookieSeconds),
    browser: (mark) => written(browserName, mark, cookieSeconds),
    cleared: () => written(sessionName, '', 0),
  };
}

/** Each value once; more than anybody has by chance are not looked at. */
const sameNameMax = 4;

function cookiesIn(header: string | null, name: string): string[] {
  if (header === null) return [];
  const values = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
    .filter((value) => value !== '');
  return [...new Set(values)].slice(0, sameNameMax);
}
