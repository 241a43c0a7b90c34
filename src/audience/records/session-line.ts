// One line of a sessions import: the watch record's own field names, checked and turned into a row.
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { duration, idText, periodEnd, text } from '../../base/api/fields.ts';
import { readPart } from '../../base/api/shape.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { SessionRow } from './session.ts';

/** What is staged of a line: a session as it will stand, under the id it had elsewhere. */
export type ImportedSession = Omit<
  SessionRow,
  'channel_id' | 'seq' | 'record_id' | 'credited_until' | 'external_id' | 'spans'
> & { external_id: string };

const textMax = 255;

/**
 * Reads lines of one zone; throws an ApiError that names the fields at fault. A line from after `now` is one of
 * them: nobody enters before the last entry, so until then nothing would count of those who come.
 */
export function sessionLineReader(
  zone: Zone,
  now: number,
): (line: Record<string, unknown>) => ImportedSession {
  const shape = sessionLineShape(zone);
  return (line) => {
    const given = readPart(shape, line, { required: requiredFields });
    const entered_at = required(given.first_login_time, 'first_login_time');
    const online_ms = given.online_time ?? given.watch_time;
    const watch_ms = given.watch_time;
    if (watch_ms > online_ms)
      throw invalidField('watch_time', 'watch_time must not be longer than online_time');
    const reached_at = entered_at + online_ms;
    const came = line['last_online_time'];
    const last_seen_at = lastSeen(zone, { came, at: given.last_online_time, reached_at });
    if (last_seen_at === undefined) {
      throw invalidField(
        'online_time',
        'online_time must not be longer than from first_login_time to last_online_time',
      );
    }
    if (last_seen_at > now)
      throw invalidField(
        entered_at > now ? 'first_login_time' : 'last_online_time',
        `the session must not end in the future: is TIME_ZONE, ${zone.name}, the one of the file?`,
      );
    return {
      external_id: given.record_id,
      viewer_id: given.user_id,
      nick: given.nick ?? '',
      addr: given.addr ?? '',
      phone: given.phone ?? '',
      device: given.device ?? '',
      browser: given.browser ?? '',
      origin: given.origin ?? '',
      ip: given.ip ?? '',
      entered_at,
      last_seen_at,
      online_ms,
      watch_ms,
    };
  };
}

const requiredFields = ['record_id', 'user_id', 'first_login_time', 'watch_time'] as const;

function sessionLineShape(zone: Zone) {
  return {
    record_id: idText("the record's id there"),
    user_id: text('viewer id', { min: 1, max: textMax }),
    nick: text('viewer nickname', { max: textMax }),
    addr: text('viewer location text', { max: textMax }),
    online_time: duration('time online'),
    watch_time: duration('time watched'),
    phone: text('viewer telephone number', { max: textMax }),
    first_login_time: periodEnd('time of entering', zone, 'start'),
    last_online_time: periodEnd('time of going offline', zone, 'start'),
    device: text('viewing device', { max: textMax }),
    browser: text('viewing method', { max: textMax }),
    origin: text('access source', { max: textMax }),
    ip: text('viewer IP address', { max: textMax }),
  };
}

/**
 * The first instant that a time of going offline, as it came, can mean and that the time online had reached;
 * undefined where there is none. A time without seconds means its whole minute. `at` is the earlier of the
 * two that a time means which the clock showed twice; the later one is looked for only where it must be.
 */
function lastSeen(
  zone: Zone,
  given: { came: unknown; at: number | null | undefined; reached_at: number },
): number | undefined {
  const { came, at, reached_at } = given;
  if (typeof came !== 'string' || at === null || at === undefined) return reached_at;
  const isMinute = came.length === 16;
  const length = isMinute ? 59_000 : 0;
  if (reached_at <= at + length) return Math.max(at, reached_at);
  const later = zone.instant(isMinute ? `${came}:00` : came, 'later') ?? at;
  // Seconds are cut too, so the time online may reach into the next one.
  return reached_at <= later + length + 1_000 ? Math.max(later, reached_at) : undefined;
}

function required(value: number | null, name: string): number {
  if (value === null)
    throw new ApiError('missing', { fields: [{ name, message: `${name} must be given` }] });
  return value;
}
