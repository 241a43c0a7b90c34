// The log: one JSON object a line on stderr, batched, with secrets masked.
import { writeSync } from 'node:fs';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The line of one answered request; it is written for each, so it is made without ceremony. */
  request(answered: AnsweredRequest): void;
  /** Writes out what is held back; call it before the process ends. */
  flush(): void;
}

export type LogFields = Record<string, unknown>;

export interface AnsweredRequest {
  request_id: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** Names in the request that nobody knew, joined. */
  ignored?: string | undefined;
}

/** Lines wait this long to be written together: one system call a request would cost more than the request. */
const holdMs = 100;
/** More than this is written at once, and bounds what a kill can lose. */
const holdBytes = 32_768;
/** When stderr takes no more, lines beyond this are dropped and counted. */
const stuckBytes = 1_048_576;

export function startLog(
  level: LogLevel,
  options: { now?: () => number; write?: (text: string) => number } = {},
): Log {
  const now = options.now ?? Date.now;
  const write = options.write ?? writeToStderr;
  const least = logLevels.indexOf(level);
  let held = '';
  let dropped = 0;
  let last = { at: 0, time: '' };
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held === '') return;
    held = held.slice(write(held));
    if (held !== '') timer = setTimeout(flush, holdMs);
  };

  const hold = (line: string) => {
    if (held.length > stuckBytes) {
      dropped += 1;
      return;
    }
    held += line;
    if (held.length > holdBytes) flush();
    else timer ??= setTimeout(flush, holdMs);
  };

  const line = (at: LogLevel, message: string, fields?: LogFields) => {
    if (logLevels.indexOf(at) < least) return;
    const isStuck = held.length > stuckBytes;
    const note = dropped > 0 && !isStuck ? { dropped_lines: dropped } : undefined;
    if (note) dropped = 0;
    const time = new Date(now()).toISOString();
    hold(`${masked(textOf({ time, level: at, message, ...fields, ...note }))}\n`);
    if (at === 'error') flush();
  };

  return {
    debug: (message, fields) => line('debug', message, fields),
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, fields) => line('error', message, fields),
    request: ({ request_id, method, path, status, ms, ignored }) => {
      if (least > infoLevel) return;
      const at = now();
      if (at !== last.at) last = { at, time: new Date(at).toISOString() };
      const names = ignored === undefined ? '' : `,"ignored":${JSON.stringify(masked(ignored))}`;
      hold(
        `{"time":"${last.time}","level":"info","message":"request","request_id":"${request_id}","method":"${method}","path":${JSON.stringify(masked(path))},"status":${status},"ms":${Math.round(ms * 100) / 100}${names}}\n`,
      );
    },
    flush,
  };
}

const infoLevel = logLevels.indexOf('info');

const secretShapes =
  /footlight_[0-9A-Za-z]{8,}|(?<=\/live\/)[0-9A-Za-z]{16,}|(?<=:\/\/[^/@:\s"]*:)[^@/\s"]+(?=@)|(?<=\/link#)[0-9A-Za-z]{16,}|p1\.[\w-]{8,}\.[\w-]{8,}|whsec_[0-9A-Za-z+/=]{8,}|(?<=[Bb]earer )[^\s"\\]+/g;

/** Tokens, stream keys, one-time links, passes, secrets of webhooks and passwords in addresses never reach the log, whatever text they stand in. */
export function masked(text: string): string {
  return text.replace(secretShapes, '***');
}

const secretNames = new Set([
  'authorization',
  'token',
  'phone',
  'stream_key',
  'viewer_secret',
  'password',
]);

/** A replacer makes `JSON.stringify` five times as slow, so plain lines go without. */
function textOf(fields: LogFields): string {
  for (const name in fields) {
    if (typeof fields[name] === 'object' || secretNames.has(name))
      return JSON.stringify(fields, readable);
  }
  return JSON.stringify(fields);
}

function readable(name: string, value: unknown): unknown {
  if (secretNames.has(name)) return '***';
  if (!(value instanceof Error)) return value;
  const cause = value.cause === undefined ? {} : { cause: value.cause };
  return { name: value.name, message: value.message, stack: value.stack, ...cause };
}

function writeToStderr(text: string): number {
  try {
    const written = writeSync(2, text);
    return written === Buffer.byteLength(text)
      ? text.length
      : Buffer.from(text).subarray(0, written).toString().length;
  } catch (error) {
    // A full pipe (EAGAIN) is tried again later; a closed one will never take a line, so let them go.
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : text.length;
  }
}
