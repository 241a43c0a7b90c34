// One setting, and how its text is read: each reader gives the value, or throws a sentence of what was wanted.
import { readFileSync } from 'node:fs';
import { Zone } from '../base/lib/time.ts';
import { TrustedProxies } from '../web/http/client-address.ts';

export interface Setting<T> {
  variable: string;
  default: string;
  /** What the table in docs/settings.md says of it. */
  sentence: string;
  /** The value, or throws a sentence of what was wanted. */
  read(text: string): T;
}

/** By the names of their values. */
export type Settings = Record<string, Setting<unknown>>;

export type ValuesOf<T extends Settings> = { [K in keyof T]: ReturnType<T[K]['read']> };

/** A setting for each bound of a kind of peer; what they are without it stands there, with the reasons. */
export type SettingsOf<Bounds> = { [K in keyof Bounds]: Setting<Bounds[K]> };

/** As one would write it. */
export function sizeText(bytes: number): string {
  const units = ['', 'K', 'M', 'G'];
  let size = bytes;
  let unit = 0;
  for (; size > 0 && size % 1024 === 0 && unit < units.length - 1; unit += 1) size /= 1024;
  return `${size}${units[unit]}`;
}

export function text(value: string): string {
  return value;
}

export function whole(min: number, max: number) {
  return (value: string) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new Error(`must be ${min} to ${max} (got "${value}")`);
    return number;
  };
}

export function decimal(min: number, max: number) {
  return (value: string) => {
    const number = /^\d+(?:\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new Error(`must be ${min} to ${max} (got "${value}")`);
    return number;
  };
}

export function flag(value: string): boolean {
  return oneOf(['true', 'false'])(value) === 'true';
}

/** As it stands: it is only looked at whether it can be read. */
export function proxyList(value: string): string {
  new TrustedProxies(value);
  return value;
}

export function byteCount(min: string) {
  return (value: string): number => {
    const bytes = bytesOf(value);
    if (bytes < bytesOf(min)) throw new Error(`must be at least ${min} (got "${value}")`);
    return bytes;
  };
}

function bytesOf(value: string): number {
  const [, number, unit = ''] = /^(\d{1,12})([KMG]?)$/i.exec(value) ?? [];
  if (number === undefined) throw new Error(`must be a size such as 500M or 2G (got "${value}")`);
  return Number(number) * 1024 ** ['', 'K', 'M', 'G'].indexOf(unit.toUpperCase());
}

export function oneOf<const T extends string>(values: readonly T[]) {
  return (value: string) => {
    const found = values.find((one) => one === value);
    if (!found) throw new Error(`must be one of ${values.join(', ')} (got "${value}")`);
    return found;
  };
}

export function zone(value: string): Zone {
  try {
    return new Zone(value);
  } catch {
    throw new Error(`must be a time zone such as UTC or Asia/Shanghai (got "${value}")`);
  }
}

/** The value may hold a password, so the message does not repeat it. */
export function databaseUrl(value: string): string {
  if (value === '') return value;
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new Error('must start with postgres:// or be empty for SQLite');
  // No host is how a Unix socket is named (`user@/name?host=/folder`), which URL alone does not take.
  const url = URL.parse(value.replace('@/', '@host/'));
  if (url && url.hash === '') return value;
  throw new Error(
    'must be an address such as postgres://user:password@host:5432/name; in a password write # as %23, / as %2F, ? as %3F, @ as %40',
  );
}

const secretBytesMax = 4_096;

/** What the file holds, without the line's end; empty where none is named. */
export function secretFile(file: string): string {
  if (file === '') return '';
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Error(`must be a file that can be read (got "${file}": ${code})`);
  }
  if (secret === '' || secret.length > secretBytesMax || secret.includes('\n'))
    throw new Error(`must be a file with one line (got "${file}")`);
  return secret;
}

/** The address with the password, where it has none of its own. */
export function withPassword(address: string, password: string): string {
  if (password === '') return address;
  return address.replace(
    /^(postgres(?:ql)?:\/\/[^:@/]+)@/,
    (_, user: string) => `${user}:${encodeURIComponent(password)}@`,
  );
}

export function baseUrl(protocols: string[]) {
  return (value: string) => {
    if (value === '') return value;
    const url = URL.parse(value);
    if (!url || !protocols.includes(url.protocol) || url.search || url.hash) {
      const starts = protocols.map((protocol) => `${protocol}//`).join(' or ');
      throw new Error(`must be an address that starts with ${starts} (got "${value}")`);
    }
    return value.replace(/\/+$/, '');
  };
}
