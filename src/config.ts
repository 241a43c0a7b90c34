// Every setting once: variable, default, check and sentence. Nothing else reads the environment.
import { TrustedProxies } from './lib/client-address.ts';
import { type LogLevel, logLevels } from './lib/log.ts';
import { Zone } from './lib/time.ts';

export interface Config {
  port: number;
  host: string;
  rtmpPort: number;
  dataDir: string;
  databaseUrl: string;
  databaseConnections: number;
  databaseDeadlineMs: number;
  publicUrl: string;
  rtmpPublicUrl: string;
  zone: Zone;
  recordsCallsPerDay: number;
  logLevel: LogLevel;
  stopWithinMs: number;
  tlsCert: string;
  tlsKey: string;
  hstsSeconds: number;
  httpConnections: number;
  reconnectMs: number;
  rtmpPublishers: number;
  rtmpPlayers: number;
  rtmpStrangers: number;
  rtmpMessagesPerSecond: number;
  recordingMaxHours: number;
  freeDiskBytesMin: number;
  pushKbpsMax: number;
  pushSpeedMax: number;
  pushMemoryBytes: number;
  accountMemoryBytes: number;
  allMemoryBytes: number;
  videoRetentionDays: number;
  pushesPerMinute: number;
  jobMemoryBytes: number;
  trustedProxies: string;
  placeFile: string;
  countDirectPlayers: boolean;
  audienceRetentionDays: number;
  ipRetentionDays: number;
  audienceConnections: number;
  entriesPerNetwork: number;
  messagesPerNetwork: number;
  sessionsPerViewer: number;
}

interface Setting<T> {
  variable: string;
  default: string;
  /** What the README's table says of it. */
  sentence: string;
  /** The value, or throws a sentence of what was wanted. */
  read(text: string): T;
}

/** The table that the program, the README and the tests share. */
export const settings: { [K in keyof Config]: Setting<Config[K]> } = {
  port: {
    variable: 'PORT',
    default: '8080',
    sentence: 'TCP port of the HTTP server; 0 takes a free one.',
    read: whole(0, 65_535),
  },
  host: {
    variable: 'HOST',
    default: '0.0.0.0',
    sentence: 'Address the servers listen on; `127.0.0.1` for this machine only.',
    read: text,
  },
  rtmpPort: {
    variable: 'RTMP_PORT',
    default: '1935',
    sentence: 'TCP port that encoders push to and RTMP players play from; 0 takes a free one.',
    read: whole(0, 65_535),
  },
  dataDir: {
    variable: 'DATA_DIR',
    default: './data',
    sentence:
      'Folder of the embedded database and of the recordings; made if absent, readable by its owner only.',
    read: text,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    default: '',
    sentence: '`postgres://user:password@host/name`; empty for the embedded SQLite in `DATA_DIR`.',
    read: databaseUrl,
  },
  databaseConnections: {
    variable: 'DATABASE_CONNECTIONS',
    default: '10',
    sentence: 'Connections to PostgreSQL at most.',
    read: whole(1, 1_000),
  },
  databaseDeadlineMs: {
    variable: 'DATABASE_DEADLINE_MS',
    default: '4000',
    sentence: 'A call that the database has not taken after so many milliseconds is answered 503.',
    read: whole(100, 60_000),
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    default: '',
    sentence:
      'Address that answers and links start with, such as `https://live.example.com`; empty for the host each request names.',
    read: baseUrl(['http:', 'https:']),
  },
  rtmpPublicUrl: {
    variable: 'RTMP_PUBLIC_URL',
    default: '',
    sentence:
      'Start of the RTMP addresses, such as `rtmp://live.example.com:1935`; empty for the host of the request and `RTMP_PORT`.',
    read: baseUrl(['rtmp:', 'rtmps:']),
  },
  zone: {
    variable: 'TIME_ZONE',
    default: 'UTC',
    sentence:
      'Time zone that times are shown and read in, and in which the daily count starts again at 00:00.',
    read: zone,
  },
  recordsCallsPerDay: {
    variable: 'RECORDS_CALLS_PER_DAY',
    default: '10',
    sentence: 'Calls of the watch records operation an account may make a day; 0 for no limit.',
    read: whole(0, 1_000_000),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    default: 'info',
    sentence: `Least level that is logged: ${logLevels.join(', ')}.`,
    read: oneOf(logLevels),
  },
  stopWithinMs: {
    variable: 'STOP_WITHIN_MS',
    default: '9000',
    sentence: 'After SIGTERM, requests under way get so many milliseconds to finish.',
    read: whole(0, 600_000),
  },
  tlsCert: {
    variable: 'TLS_CERT',
    default: '',
    sentence:
      'File of the certificate (PEM); with `TLS_KEY` the service speaks HTTPS and HTTP/2 on `PORT`.',
    read: text,
  },
  tlsKey: {
    variable: 'TLS_KEY',
    default: '',
    sentence: "File of the certificate's private key (PEM).",
    read: text,
  },
  hstsSeconds: {
    variable: 'HSTS_SECONDS',
    default: '2592000',
    sentence:
      'With a certificate, browsers are told to come by HTTPS alone for so many seconds; 0 to tell them nothing, as where the same name serves something else over HTTP.',
    read: whole(0, 63_072_000),
  },
  httpConnections: {
    variable: 'HTTP_CONNECTIONS',
    default: '0',
    sentence:
      'HTTP connections that may be open at once, pages that are connected not counted; 0 for three quarters of the descriptors that the system allows. One network may have half of what the others leave.',
    read: whole(0, 1_000_000),
  },
  reconnectMs: {
    variable: 'RECONNECT_MS',
    default: '10000',
    sentence:
      'A push that was cut goes on in the same playlist and recording when it comes back within so many milliseconds.',
    read: whole(0, 600_000),
  },
  rtmpPublishers: {
    variable: 'RTMP_PUBLISHERS',
    default: '500',
    sentence: 'Pushes at once; one account may have half of those that the others leave.',
    read: whole(1, 100_000),
  },
  rtmpPlayers: {
    variable: 'RTMP_PLAYERS',
    default: '1000',
    sentence:
      'RTMP players at once; one network (an address, of IPv6 one /64) may have half of those that the others leave, unless it is allowed more.',
    read: whole(1, 100_000),
  },
  rtmpStrangers: {
    variable: 'RTMP_STRANGERS',
    default: '500',
    sentence:
      'RTMP connections at once that neither publish nor play yet, shared in the same way; the oldest of the network that has most makes room for a newer one.',
    read: whole(1, 100_000),
  },
  rtmpMessagesPerSecond: {
    variable: 'RTMP_MESSAGES_PER_SECOND',
    default: '1000',
    sentence:
      'RTMP messages a second that a push may send for long, and ten times as many at once; more for what is pushed faster than it plays.',
    read: whole(100, 1_000_000),
  },
  recordingMaxHours: {
    variable: 'RECORDING_MAX_HOURS',
    default: '12',
    sentence: 'A longer push becomes several videos.',
    read: whole(1, 1_000),
  },
  freeDiskBytesMin: {
    variable: 'MIN_FREE_DISK',
    default: '1G',
    sentence:
      'Nothing is recorded while the disk has less free than this (bytes, or with `K`, `M`, `G`); live goes on.',
    read: byteCount('0'),
  },
  pushKbpsMax: {
    variable: 'PUSH_KBPS_MAX',
    default: '40000',
    sentence:
      'Kilobits a second that a push may send, averaged over ten seconds; one that sends more is cut, and its encoder told why.',
    read: whole(100, 1_000_000),
  },
  pushSpeedMax: {
    variable: 'PUSH_SPEED_MAX',
    default: '1',
    sentence:
      'How many times faster than it plays a push may come, after its first minute; more than 1 for tests alone.',
    read: whole(1, 1_000),
  },
  pushMemoryBytes: {
    variable: 'PUSH_MEMORY',
    default: '128M',
    sentence:
      'Memory that the media of one push may hold; beyond it players get a shorter window, and then the push is cut.',
    read: byteCount('8M'),
  },
  accountMemoryBytes: {
    variable: 'ACCOUNT_PUSH_MEMORY',
    default: '384M',
    sentence:
      "Memory that the media of an account's pushes may hold together; beyond it none of them begins.",
    read: byteCount('8M'),
  },
  allMemoryBytes: {
    variable: 'ALL_PUSH_MEMORY',
    default: '512M',
    sentence:
      'Memory that the media of all pushes may hold; beyond it none begins. What players are sent takes as much again; for a machine of 2 GB.',
    read: byteCount('8M'),
  },
  videoRetentionDays: {
    variable: 'VIDEO_RETENTION_DAYS',
    default: '0',
    sentence: 'Recorded videos older than so many days are removed; 0 keeps them.',
    read: whole(0, 36_500),
  },
  pushesPerMinute: {
    variable: 'PUSHES_PER_MINUTE',
    default: '12',
    sentence:
      'Pushes that a channel may begin in a minute; one that comes back within `RECONNECT_MS` goes on and does not count.',
    read: whole(1, 10_000),
  },
  jobMemoryBytes: {
    variable: 'JOB_MEMORY',
    default: '512M',
    sentence:
      'Memory that the process of a job may take (bytes, or with `K`, `M`, `G`), half of it to decode pictures: enough for 4K, and for recordings of twelve hours.',
    read: byteCount('128M'),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    default: '',
    sentence:
      "Addresses and networks of your proxies, such as `127.0.0.1, 10.0.0.0/8`: whom they name in `X-Forwarded-For` or `Forwarded` is the viewer's address.",
    read: proxyList,
  },
  placeFile: {
    variable: 'PLACE_FILE',
    default: '',
    sentence:
      'A GeoIP2-like `.mmdb` file that knows more about where addresses are than the ones that come along: Chinese cities, the countries of the rest. It is held in memory.',
    read: text,
  },
  countDirectPlayers: {
    variable: 'COUNT_DIRECT_PLAYERS',
    default: 'false',
    sentence: 'Whether players without a page of ours, such as VLC, are counted in the records.',
    read: flag,
  },
  audienceRetentionDays: {
    variable: 'AUDIENCE_RETENTION_DAYS',
    default: '0',
    sentence: 'Watch records and visitors older than so many days are removed; 0 keeps them.',
    read: whole(0, 36_500),
  },
  ipRetentionDays: {
    variable: 'IP_RETENTION_DAYS',
    default: '0',
    sentence: 'Addresses of viewers lose their last part after so many days; 0 keeps them whole.',
    read: whole(0, 36_500),
  },
  audienceConnections: {
    variable: 'AUDIENCE_CONNECTIONS',
    default: '20000',
    sentence:
      'Pages that may be connected at once; each takes a descriptor, so the system must allow as many. One network may have half of what the others leave.',
    read: whole(1, 1_000_000),
  },
  entriesPerNetwork: {
    variable: 'AUDIENCE_ENTRIES_PER_NETWORK',
    default: '600',
    sentence:
      'Watch sessions that one network (one IPv4 address, of IPv6 one /64) may open in a minute; further pages come in a little later by themselves. Who goes on with a session, as after a reload or a restart, does not count.',
    read: whole(1, 1_000_000),
  },
  messagesPerNetwork: {
    variable: 'AUDIENCE_MESSAGES_PER_NETWORK',
    default: '300',
    sentence:
      'Chat lines, new names and shares that one network may send on a channel in a minute.',
    read: whole(1, 1_000_000),
  },
  sessionsPerViewer: {
    variable: 'SESSIONS_PER_VIEWER',
    default: '10',
    sentence:
      'Pages of a channel that one viewer may have open at once; for another the one that has been silent longest makes room.',
    read: whole(1, 1_000),
  },
};

/** Reads every setting; throws one error that names all that are wrong. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const given = environment[setting.variable]?.trim();
    try {
      config[name] = setting.read(given === undefined || given === '' ? setting.default : given);
    } catch (error) {
      problems.push(`${setting.variable} ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return config as unknown as Config;
}

/** The README's reference, made from the table; a test compares the two. */
export function settingsTable(): string {
  const rows = Object.values(settings).map(
    ({ variable, default: fallback, sentence }) =>
      `| \`${variable}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${sentence} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function text(value: string): string {
  return value;
}

function whole(min: number, max: number) {
  return (value: string) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new Error(`must be ${min} to ${max} (got "${value}")`);
    return number;
  };
}

function flag(value: string): boolean {
  return oneOf(['true', 'false'])(value) === 'true';
}

/** As it stands: it is only looked at whether it can be read. */
function proxyList(value: string): string {
  new TrustedProxies(value);
  return value;
}

function byteCount(min: string) {
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

function oneOf<const T extends string>(values: readonly T[]) {
  return (value: string) => {
    const found = values.find((one) => one === value);
    if (!found) throw new Error(`must be one of ${values.join(', ')} (got "${value}")`);
    return found;
  };
}

function zone(value: string): Zone {
  try {
    return new Zone(value);
  } catch {
    throw new Error(`must be a time zone such as UTC or Asia/Shanghai (got "${value}")`);
  }
}

/** The value may hold a password, so the message does not repeat it. */
function databaseUrl(value: string): string {
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

function baseUrl(protocols: string[]) {
  return (value: string) => {
    if (value === '') return value;
    const url = URL.parse(value);
    if (!url || !protocols.includes(url.protocol) || url.search || url.hash) {
      throw new Error(`must be an address that starts with ${protocols[0]}// (got "${value}")`);
    }
    return value.replace(/\/+$/, '');
  };
}
