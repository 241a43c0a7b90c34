// A watch link: one of your users named in the address of a channel's page, signed with your account's viewer secret.

export interface WatchLinkOptions {
  /** The address of the page: a channel's `watch_url.pc`, `watch_url.mobile` or `embed_url`. */
  page: string;
  /** The account's viewer secret (`npx footlight account secret`); it stays on your servers. */
  secret: string;
  /** Your own id of the user: 1 to 64 characters. */
  uid: string;
  /** Shown in the chat: up to 64 characters. Without it the viewer may choose one. */
  nick?: string;
  /** Up to 32 characters. */
  phone?: string;
  /** When the link ends: a date, or seconds since 1970. In a day where it is not given. */
  expires?: Date | number;
}

const daySeconds = 86_400;
const charactersMax = { uid: 64, nick: 64, phone: 32 } as const;

/** The address that names the user, on that channel and nowhere else. */
export async function watchLink(options: WatchLinkOptions): Promise<string> {
  const { secret, uid, nick = '', phone = '' } = options;
  if (secret === '') throw new RangeError('secret must not be empty');
  if (uid.trim() === '') throw new RangeError('uid must not be empty');
  for (const [name, value] of Object.entries({ uid, nick, phone }))
    checkLine(name as keyof typeof charactersMax, value);
  const address = new URL(options.page);
  const expires = secondsOf(options.expires);
  const text = ['watch', channelOf(address), uid, nick, phone, expires].join('\n');
  const query = { uid, nick, phone, expires: String(expires), sign: await signed(secret, text) };
  for (const [name, value] of Object.entries(query)) {
    if (value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  return address.href;
}

/** A link whose values are too long, or hold a line break, would name nobody, and nobody would be told. */
function checkLine(name: keyof typeof charactersMax, value: string): void {
  if (/\p{Cc}/u.test(value)) throw new RangeError(`${name} must not hold control characters`);
  if (!value.isWellFormed()) throw new RangeError(`${name} must not hold broken characters`);
  const max = charactersMax[name];
  if ([...value].length > max) throw new RangeError(`${name} must have at most ${max} characters`);
}

function channelOf({ pathname }: URL): string {
  const [, channel] = /\/(?:watch|m|embed)\/([1-9]\d*)\/?$/.exec(pathname) ?? [];
  if (channel === undefined)
    throw new RangeError(
      `page must be the address of a channel's page, as …/watch/7 (got ${pathname})`,
    );
  return channel;
}

function secondsOf(expires: Date | number = Date.now() / 1_000 + daySeconds): number {
  const seconds = Math.floor(typeof expires === 'number' ? expires : expires.getTime() / 1_000);
  if (!(seconds >= 1 && seconds < 1e11))
    throw new RangeError('expires must be a date, or seconds since 1970');
  return seconds;
}

/** HMAC-SHA256 in hexadecimal; the characters of the secret are the key. */
async function signed(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ]);
  const bytes = await crypto.subtle.sign('HMAC', key, encoder.encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
