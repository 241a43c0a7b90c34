// The console's cookies: the session's secret, and the mark of a browser that has signed in before.

export interface ConsoleCookies {
  /** The session's secret in a request's `Cookie` header. */
  sessionIn(header: string | null): string | undefined;
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
    sessionIn: (header) => cookieIn(header, sessionName),
    browserIn: (header) => cookieIn(header, browserName),
    session: (secret) => written(sessionName, secret, cookieSeconds),
    browser: (mark) => written(browserName, mark, cookieSeconds),
    cleared: () => written(sessionName, '', 0),
  };
}

/** The first of that name: a second is not the browser's own. */
function cookieIn(header: string | null, name: string): string | undefined {
  if (header === null) return undefined;
  const found = header
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}
