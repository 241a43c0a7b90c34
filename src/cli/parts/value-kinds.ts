// Kinds of values that are typed: each reads its text, or says what was wanted.
import { UsageError } from './exit-codes.ts';
import { didYouMean } from './near-words.ts';
import type { Kind } from './option.ts';

const nameMax = 255;

/** A name as people give it, within the bounds of every name. */
export const name: Kind<string> = {
  value: 'TEXT',
  read: (text, named) => {
    const given = text.trim();
    if (given === '') throw new UsageError(`${named} must be given`);
    if ([...given].length > nameMax)
      throw new UsageError(`${named} must be at most ${nameMax} characters`);
    return given;
  },
};

/** Any text, without the spaces around it. */
export const plain: Kind<string> = { value: 'TEXT', read: (text) => text.trim() };

/** The same, but not nothing. */
export const something: Kind<string> = {
  value: 'TEXT',
  read: (text, named) => {
    if (text.trim() === '') throw new UsageError(`${named} must be given`);
    return text.trim();
  },
};

/** As it was typed. */
export const exact: Kind<string> = { value: 'TEXT', read: (text) => text };

export const file: Kind<string> = {
  value: 'FILE',
  read: (text, named) => {
    if (text === '') throw new UsageError(`${named} must be given`);
    return text;
  },
};

export const whole: Kind<number> = {
  value: 'N',
  read: (text, named) => {
    if (!/^\d{1,15}$/.test(text))
      throw new UsageError(`${named} must be a whole number (got "${text}")`);
    return Number(text);
  },
};

/** An id that the usage shows as such. */
export const id: Kind<number> = { ...whole, value: 'ID' };

export function wholeWithin(min: number, max: number): Kind<number> {
  return {
    value: 'N',
    read: (text, named) => {
      const number = whole.read(text, named);
      if (number < min || number > max)
        throw new UsageError(`${named} must be ${min} to ${max} (got ${number})`);
      return number;
    },
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Kind<T> {
  return {
    value: values.join('|'),
    read: (text, named) => {
      const found = values.find((one) => one === text);
      if (found === undefined)
        throw new UsageError(`${named} must be ${listed(values)} (got "${text}")`);
      return found;
    },
  };
}

/** Some of them, with commas between; `what` is how a message names one. */
export function someOf<const T extends string>(
  values: readonly T[],
  what: string,
): Kind<readonly T[]> {
  return {
    value: 'a,b',
    read: (text) =>
      text.split(',').map((one) => {
        const found = values.find((known) => known === one.trim());
        if (found !== undefined) return found;
        const near = didYouMean(one.trim(), values) || `; there are ${values.join(', ')}`;
        throw new UsageError(`there is no ${what} "${one}"${near}`);
      }),
  };
}

export const trueOrFalse: Kind<boolean> = {
  value: 'true|false',
  read: (text, named) => oneOf(['true', 'false']).read(text, named) === 'true',
};

const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** How long something lasts, as people write it; in milliseconds. */
export const lifetime: Kind<number> = {
  value: '30d',
  read: (text, named) => {
    const [, count, unit] = /^([1-9]\d{0,5})([mhdw])$/.exec(text) ?? [];
    if (!count || !unit)
      throw new UsageError(`${named} must be such as 90m, 12h, 30d or 4w (got "${text}")`);
    return Number(count) * (unitsMs[unit] ?? 0);
  },
};

/** `a or b`, `one of a, b, c`. */
function listed(values: readonly string[]): string {
  return values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ');
}
