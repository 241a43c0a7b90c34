// The settings of a channel's viewing page: the one table that check, storage, answers and OpenAPI follow from.
import * as z from 'zod';
import { address, alsoAs, choice, colour, dateTime, flag, text } from '../../base/api/fields.ts';
import type { Field } from '../../base/api/shape.ts';
import { Zone } from '../../base/lib/time.ts';
import { emptyPage, type PageChange } from './stored-page.ts';

export const themes = ['default', 'tech'] as const;

/** Interface 2.2. A line here is a whole field; `onUpdate` ones are shown by the page update alone. */
export function pageTable(zone: Zone) {
  return {
    start_time: instantField(alsoAs(dateTime('live start time', zone), 'startTime'), zone),
    logo: copyOf('pc_logo'),
    pc_logo: textField(address('address of the desktop video logo')),
    mobile_logo: textField(address('address of the mobile video logo')),
    banner: textField(address('banner address')),
    cover_image: textField(address('channel icon address')),
    live_img: textField(address('address of the live window background')),
    footer: textField(text('footer copyright text', { max: 2_000 })),
    bg_color: onUpdate(
      textField(colour("viewing page background colour; empty for the theme's own")),
    ),
    show_qrcode: onUpdate(
      flagField(flag('whether the mobile-viewing QR code is shown', { cleared: true }), true),
    ),
    theme: onUpdate(
      choiceField(choice('theme of the viewing page', { of: themes, cleared: 'default' }), themes),
    ),
    public: onUpdate(
      flagField(flag('whether the front page lists the channel', { cleared: false }), false),
    ),
  };
}

type PageTable = ReturnType<typeof pageTable>;

/** The fields a caller may set, with the types of their values. */
export type PageValues = {
  [K in keyof PageTable as PageTable[K] extends { request: Field<unknown> }
    ? K
    : never]: PageTable[K] extends { request: Field<infer T> } ? T : never;
};

export type PageShape = { [K in keyof PageValues]: Field<PageValues[K]> };

/** Reads a stored page with its real values: instants as instants, fields that are not set by the table. */
export function readPage(stored: string): PageValues {
  return { ...unsetValues, ...JSON.parse(stored) } as PageValues;
}

/** Everything the interface asks of the table. */
export interface PageFields {
  /** What a page update may hold. */
  shape: PageShape;
  change(given: Partial<PageValues>): PageChange;
  /** What every operation answers, and what the page update answers. */
  brief: PageView;
  whole: PageView;
}

interface PageView {
  answer: z.ZodType<Record<string, unknown>>;
  /** Shows a page from its stored text. */
  show(stored: string): Record<string, unknown>;
}

export function pageFields(zone: Zone): PageFields {
  const table: Record<string, AnyField> = pageTable(zone);
  const entries = Object.entries(table);
  const shape = Object.fromEntries(
    entries.flatMap(([name, { request }]) => (request ? [[name, request]] : [])),
  );
  return {
    shape: shape as PageShape,
    change: (given) => {
      const isUnset = ([name, value]: [string, unknown]) => value === table[name]?.unset;
      const all = Object.entries(given);
      const set = Object.fromEntries(all.filter((one) => !isUnset(one)));
      return { set, clear: all.filter(isUnset).map(([name]) => name) };
    },
    brief: pageView(entries.filter(([, field]) => !field.onUpdate)),
    whole: pageView(entries),
  };
}

interface AnyField {
  /** How a caller sets it. */
  request?: Field<unknown>;
  unset?: unknown;
  /** Its value is another field's. */
  from?: string;
  answer: z.ZodType;
  show(value: never): unknown;
  onUpdate?: boolean;
}

function pageView(entries: [string, AnyField][]): PageView {
  const show = (stored: string) => {
    const values: Record<string, unknown> = JSON.parse(stored);
    const view: Record<string, unknown> = {};
    for (const [name, field] of entries) {
      view[name] = field.show((values[field.from ?? name] ?? field.unset) as never);
    }
    return view;
  };
  const empty = show(emptyPage);
  const answer = z.object(Object.fromEntries(entries.map(([name, field]) => [name, field.answer])));
  return { answer, show: (stored) => (stored === emptyPage ? empty : show(stored)) };
}

const same = <T>(value: T) => value;

function textField(request: Field<string>) {
  return { request, unset: '', answer: described(z.string(), request), show: same<string> };
}

function flagField(request: Field<boolean>, unset: boolean) {
  return { request, unset, answer: described(z.boolean(), request), show: same<boolean> };
}

function choiceField<const T extends string>(request: Field<T>, of: readonly [T, ...T[]]) {
  return { request, unset: of[0], answer: described(z.enum(of), request), show: same<T> };
}

function instantField(request: Field<number | null>, zone: Zone) {
  const show = (at: number | null) => (at === null ? '' : zone.dateTime(at));
  return { request, unset: null, answer: described(z.string(), request), show };
}

/** An old name for another field (interface 9.2). */
function copyOf(from: string) {
  const answer = z
    .string()
    .meta({ description: `no longer used; equals \`${from}\``, deprecated: true });
  return { from, unset: '', answer, show: same<string> };
}

function onUpdate<F>(field: F): F & { onUpdate: true } {
  return { ...field, onUpdate: true };
}

function described<T extends z.ZodType>(answer: T, { schema }: Field<unknown>): T {
  return answer.meta({ description: schema.description });
}

/** What a field that is not set has: the same in every zone. */
const unsetValues = Object.fromEntries(
  Object.entries(pageTable(new Zone('UTC'))).map(([name, field]) => [name, field.unset]),
);
