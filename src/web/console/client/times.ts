// Instants, lengths and numbers as the person reads them: in their own zone, with the service's beside it.
import { Zone } from '../../../base/lib/time.ts';
import { localeOf } from '../../pages/client/page-elements.ts';
import type { Language } from '../../pages/page-data.ts';

export class Times {
  private readonly locale: string;
  private readonly service: Zone;
  /** Where the person is. */
  private readonly zoneName: string;

  /** `serviceZone`: an IANA name, in which the interface's times are written. */
  constructor(
    language: Language,
    serviceZone = 'UTC',
    place: { locale?: string; zoneName?: string } = {},
  ) {
    this.locale = place.locale ?? localeOf(language);
    this.service = new Zone(serviceZone);
    this.zoneName = place.zoneName ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  /** Of the interface's text, `2026-05-01 19:30:00`; undefined for an empty one. */
  instant(text: string): number | undefined {
    return this.service.instant(text);
  }

  /** The interface's text of an instant. */
  text(at: number): string {
    return this.service.dateTime(at);
  }

  /** `Fri 1 May, 19:30`, with the year where it is not this one. */
  short(at: number, now: number): string {
    const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
    return this.format(at, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      ...(!isThisYear && { year: 'numeric' }),
      hour: '2-digit',
      minute: '2-digit',
    });
  }

  /** `19:30:05` */
  clock(at: number): string {
    return this.format(at, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  }

  /** `19:30` */
  minute(at: number): string {
    return this.format(at, { hour: '2-digit', minute: '2-digit' });
  }

  /** The same instant where the service is; undefined where that is where the person is. */
  inServiceZone(at: number): string | undefined {
    const here = this.format(at, { dateStyle: 'short', timeStyle: 'short' });
    const there = this.format(at, {
      dateStyle: 'short',
      timeStyle: 'short',
      timeZone: this.service.name,
    });
    return here === there ? undefined : `${there} (${this.service.name})`;
  }

  /** The same, short, with its day where that is another one: `19:30`, `Sat 2 May, 01:30`. */
  there(at: number): { time: string; zone: string } | undefined {
    if (this.inServiceZone(at) === undefined) return undefined;
    const isSameDay = this.service.date(at) === new Zone(this.zoneName).date(at);
    const time = this.format(at, {
      ...(!isSameDay && { weekday: 'short', day: 'numeric', month: 'short' }),
      ...{ hour: '2-digit', minute: '2-digit', timeZone: this.service.name },
    });
    return { time, zone: this.service.name };
  }

  /** `in 3 hours`, `2 days ago`. */
  relative(at: number, now: number): string {
    const seconds = Math.round((at - now) / 1000);
    const format = new Intl.RelativeTimeFormat(this.locale, { numeric: 'auto' });
    const [unit, size] =
      units.find(([, one]) => Math.abs(seconds) >= one) ?? (['second', 1] as const);
    return format.format(Math.trunc(seconds / size), unit);
  }

  /** `1,234` */
  count(number: number, digits = 0): string {
    return number.toLocaleString(this.locale, { maximumFractionDigits: digits });
  }

  /** `1.5 GB` */
  bytes(number: number): string {
    const at = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, number)) / 3));
    return (number / 1000 ** at).toLocaleString(this.locale, {
      style: 'unit',
      unit: sizes[at],
      unitDisplay: at === 0 ? 'long' : 'short',
      maximumFractionDigits: 1,
    });
  }

  /** What `<input type="datetime-local">` holds, in the person's zone. */
  toField(at: number): string {
    return new Zone(this.zoneName).dateMinute(at).replace(' ', 'T');
  }

  /** Undefined where the field is empty or names no such time. */
  fromField(text: string): number | undefined {
    const [day = '', time = ''] = text.split('T');
    return new Zone(this.zoneName).instant(`${day} ${time.length === 5 ? `${time}:00` : time}`);
  }

  /** The day of an instant where the person is, or so many days before it: `2026-05-01`. */
  day(at: number, daysBefore = 0): string {
    const zone = new Zone(this.zoneName);
    // From noon on: days are an hour longer or shorter where clocks change.
    const noon = zone.instant(`${zone.date(at)} 12:00:00`) ?? at;
    return zone.date(noon - daysBefore * dayMs);
  }

  /** Its first instant and the next day's, where the person is; undefined where there is no such day. */
  daySpan(day: string): { from: number; before: number } | undefined {
    const zone = new Zone(this.zoneName);
    const noon = zone.instant(`${day} 12:00:00`);
    if (noon === undefined) return undefined;
    return { from: zone.nextDay(noon - dayMs), before: zone.nextDay(noon) };
  }

  private format(at: number, options: Intl.DateTimeFormatOptions): string {
    const hourCycle = 'hour' in options ? ({ hourCycle: 'h23' } as const) : {};
    return new Intl.DateTimeFormat(this.locale, {
      timeZone: this.zoneName,
      ...hourCycle,
      ...options,
    }).format(at);
  }
}

const dayMs = 86_400_000;

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `1:02:03` of a length in seconds. */
export function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (count: number) => String(count).padStart(2, '0');
  const hours = Math.floor(whole / 3_600);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
