// Kinds of request fields: each reads what came leniently, refuses what it cannot understand, and describes itself for OpenAPI.

import { durationMs, type Side, type Zone } from '../lib/time.ts';
import { visibleText } from '../lib/visible-text.ts';
import { type Field, Misread } from './shape.ts';

/** Ids of channels, videos and managers; also the bound of what has no other. */
export const idMax = Number.MAX_SAFE_INTEGER;

const integerText = /^-?\d{1,16}$/;

/** A whole number, also as a numeric string. */
export function integer(
  description: string,
  {
    min,
    max,
    cleared,
    ...more
  }: {
    min: number;
    max: number;
    cleared?: number;
    default?: number;
    examples?: readonly number[];
  },
): Field<number> {
  const wanted = new Misread(max === idMax ? `must be ${min} or more` : `must be ${min} to ${max}`);
  const read = (came: unknown) => {
    const value = typeof came === 'string' && integerText.test(came) ? Number(came) : came;
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      return new Misread('must be a whole number');
    }
    return value >= min && value <= max ? value : wanted;
  };
  const schema = { description, type: 'integer', minimum: min, maximum: max, ...more };
  return cleared === undefined ? { read, schema } : clearable({ read, schema }, cleared);
}

/** A list of ids, each also as a numeric string. */
export function idList(description: string, { countMax }: { countMax: number }): Field<number[]> {
  const one = integer(description, { min: 1, max: idMax });
  const wanted = new Misread(`must be a list of 1 to ${countMax} ids`);
  const read = (came: unknown) => {
    if (!Array.isArray(came) || came.length === 0 || came.length > countMax) return wanted;
    const ids = came.map((id: unknown) => one.read(id));
    return ids.every((id) => typeof id === 'number') ? ids : wanted;
  };
  const schema = {
    description,
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    minItems: 1,
    maxItems: countMax,
    examples: [[7, 8]],
  };
  return { read, schema };
}

/** A list of texts, each trimmed and of some characters. */
export function textList(
  description: string,
  { countMax, max, examples }: { countMax: number; max: number; examples: readonly string[] },
): Field<string[]> {
  const one = text(description, { min: 1, max, trim: true });
  const wanted = new Misread(
    `must be a list of at most ${countMax} texts, each of 1 to ${max} characters`,
  );
  const read = (came: unknown) => {
    if (!Array.isArray(came) || came.length > countMax) return wanted;
    const texts = came.map((item: unknown) => one.read(item));
    return texts.every((item) => typeof item === 'string') ? texts : wanted;
  };
  const items = { type: 'string', minLength: 1, maxLength: max };
  const schema = { description, type: 'array', items, maxItems: countMax, examples: [examples] };
  return { read, schema };
}

/** True or false, also as 0/1 and their strings. */
export function flag(description: string, { cleared }: { cleared: boolean }): Field<boolean> {
  const wanted = new Misread('must be true or false');
  const read = (came: unknown) => {
    if (came === true || came === 1 || came === '1' || came === 'true') return true;
    if (came === false || came === 0 || came === '0' || came === 'false') return false;
    return wanted;
  };
  const schema = { description, type: 'boolean', default: cleared };
  return clearable({ read, schema }, cleared);
}

/** One of a closed set of strings; a number is taken as its string (`0` for `"0"`). */
export function choice<const T extends string>(
  description: string,
  options: { of: readonly T[]; cleared: T; type?: 'string' | 'integer' },
): Field<T> {
  const wanted = new Misread(`must be ${options.of.map((one) => `"${one}"`).join(' or ')}`);
  const read = (came: unknown) => {
    const text = typeof came === 'number' ? String(came) : came;
    return options.of.find((one) => one === text) ?? wanted;
  };
  const as = (one: T) => (options.type === 'integer' ? Number(one) : one);
  const schema = {
    description,
    type: options.type ?? 'string',
    enum: options.of.map(as),
    default: as(options.cleared),
  };
  return clearable<T>({ read, schema }, options.cleared);
}

/** Some of a closed set of strings, each once and in the order of the set. */
export function choices<const T extends string>(
  description: string,
  options: { of: readonly T[]; examples: readonly (readonly T[])[] },
): Field<T[]> {
  const { of, examples } = options;
  const wanted = new Misread(`must be a list of ${of.map((one) => `"${one}"`).join(', ')}`);
  const read = (came: unknown) => {
    const isOfIt = (one: unknown) => of.some((known) => known === one);
    if (!Array.isArray(came) || came.length === 0 || !came.every(isOfIt)) return wanted;
    return of.filter((one) => came.includes(one));
  };
  const items = { type: 'string', enum: of };
  return { read, schema: { description, type: 'array', items, minItems: 1, examples } };
}

/** Text of `min` to `max` characters; trimmed first where it is a name. */
export function text(
  description: string,
  {
    min = 0,
    max,
    trim = false,
    isVisible = false,
    ...more
  }: {
    min?: number;
    max: number;
    trim?: boolean;
    /** What nobody sees is taken out: it is shown beside other names. */
    isVisible?: boolean;
    examples?: readonly string[];
  },
): Field<string> {
  const length = min > 0 ? `${min} to ${max}` : `at most ${max}`;
  const wanted = new Misread(`must be text of ${length} characters`);
  const read = (came: unknown) => {
    if (typeof came !== 'string') return wanted;
    const seen = isVisible ? visibleText(came) : came;
    const value = trim ? seen.trim() : seen;
    if (!isPlain(value)) return new Misread('must be text without NUL or broken characters');
    const count = characters(value);
    return count >= min && count <= max ? value : wanted;
  };
  const schema = {
    description,
    type: 'string',
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    ...more,
  };
  return min > 0 ? { read, schema } : clearable({ read, schema }, '');
}

/** A password or what else only its holder may know: taken as it is, and no message repeats it. */
export function secretText(
  description: string,
  { min, max, examples }: { min: number; max: number; examples: readonly string[] },
): Field<string> {
  const field = text(description, { min, max, examples });
  const wanted = new Misread(`must be text of ${min} to ${max} characters`, { isSecret: true });
  const read = (came: unknown) => {
    const value = field.read(came);
    return value instanceof Misread ? wanted : value;
  };
  return { read, schema: { ...field.schema, format: 'password' } };
}

const addressMax = 2_048;

/** An address a page may load: http, https, protocol-relative or a path of this site; kept as written. */
export function address(description: string): Field<string> {
  const wanted = new Misread(
    `must be an http:, https: or // address or a path that starts with /, of at most ${addressMax} characters`,
  );
  const read = (came: unknown) => (typeof came === 'string' && isAddress(came) ? came : wanted);
  const schema = { description, type: 'string', maxLength: addressMax };
  return clearable({ read, schema }, '');
}

const hexColour = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const channelLevel = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const alphaLevel = String.raw`(?:0|1|0?\.\d{1,6}|1\.0{1,6})`;
const rgbColour = new RegExp(
  `^rgba?\\( *${channelLevel} *, *${channelLevel} *, *${channelLevel} *(?:, *${alphaLevel} *)?\\)$`,
  'i',
);
const colourMax = 64;

/** `#rgb(a)`, `#rrggbb(aa)`, `rgb()` or `rgba()` with three or four numbers; kept as written. */
export function colour(description: string): Field<string> {
  const wanted = new Misread('must be a colour such as #fff, #ffffff or rgb(255,255,255,1)');
  const read = (came: unknown) => {
    if (typeof came !== 'string' || came.length > colourMax) return wanted;
    return hexColour.test(came) || rgbColour.test(came) ? came : wanted;
  };
  const schema = { description, type: 'string', examples: ['rgb(255,255,255,1)'] };
  return clearable({ read, schema }, '');
}

const dateTimePattern = String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`;

/** A `datetime` of the interface in the service's zone, as an instant; null when cleared. */
export function dateTime(description: string, zone: Zone): Field<number | null> {
  return instant(description, zone, {
    side: 'earlier',
    minuteEnds: undefined,
    example: '2026-05-01 19:30:00',
  });
}

/** An end of a period: a time without seconds is taken too, as the first or last second of its minute. */
export function periodEnd(
  description: string,
  zone: Zone,
  end: 'start' | 'end',
): Field<number | null> {
  return instant(
    description,
    zone,
    end === 'start'
      ? { side: 'earlier', minuteEnds: ':00', example: '2026-05-01 19:30:00' }
      : { side: 'later', minuteEnds: ':59', example: '2026-05-01 21:30:00' },
  );
}

function instant(
  description: string,
  zone: Zone,
  options: { side: Side; minuteEnds: string | undefined; example: string },
): Field<number | null> {
  const wanted = new Misread(
    `must be an existing time of the form YYYY-MM-DD HH:MM:SS in the time zone ${zone.name}`,
  );
  const read = (came: unknown) => {
    if (typeof came !== 'string') return wanted;
    const whole = came.length === 16 && options.minuteEnds ? came + options.minuteEnds : came;
    return zone.instant(whole, options.side) ?? wanted;
  };
  const pattern = options.minuteEnds
    ? dateTimePattern.replace(/:\\d\{2\}\$$/, String.raw`(:\d{2})?$`)
    : dateTimePattern;
  const schema = {
    description: `${description}; \`YYYY-MM-DD HH:MM:SS\`, an empty string for none`,
    anyOf: [{ type: 'string', pattern }, { const: '' }],
    examples: [options.example],
  };
  return clearable<number | null>({ read, schema }, null);
}

/** A time span of the form `HH:MM:SS`, as milliseconds. */
export function duration(description: string): Field<number> {
  const wanted = new Misread('must be a time of the form HH:MM:SS');
  const read = (came: unknown) =>
    (typeof came === 'string' ? durationMs(came) : undefined) ?? wanted;
  return { read, schema: { description, type: 'string' } };
}

const externalIdMax = 255;

/** An id that another platform gave: a number or a text, kept as text. */
export function idText(description: string): Field<string> {
  const wanted = new Misread(
    `must be a whole number or a text of 1 to ${externalIdMax} characters`,
  );
  const read = (came: unknown) => {
    const value = Number.isSafeInteger(came) ? String(came) : came;
    if (typeof value !== 'string' || value === '' || value.length > externalIdMax) return wanted;
    return isPlain(value) ? value : wanted;
  };
  return { read, schema: { description, type: ['integer', 'string'] } };
}

/** The field under its own name, and under other spellings that are plainly meant. */
export function alsoAs<T>(field: Field<T>, ...aliases: readonly string[]): Field<T> {
  return { ...field, aliases };
}

/** `""` clears a field that has a cleared value; everything else is for its reader. */
function clearable<T>(field: Field<T>, cleared: T): Field<T> {
  return { ...field, read: (came) => (came === '' ? cleared : field.read(came)) };
}

/** Whether both engines can keep the text and give it back unchanged. */
function isPlain(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** Characters as people count them in a limit: code points. */
function characters(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function isAddress(value: string): boolean {
  if (!isPlain(value) || characters(value) > addressMax) return false;
  // A browser reads a backslash as a slash and drops tabs and line ends, so none may hide a host.
  if (!/^(?:https?:\/\/|\/)/i.test(value) || /[\s\\\p{Cc}"<>]/u.test(value)) return false;
  const url = URL.parse(value, 'http://localhost/');
  return (
    url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
  );
}
