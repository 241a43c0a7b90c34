// Settings of the service itself: where it listens, where it keeps its data, how it is reached.
import { logLevels } from '../base/lib/log.ts';
import {
  baseUrl,
  databaseUrl,
  flag,
  oneOf,
  proxyList,
  type Settings,
  secretFile,
  text,
  whole,
  zone,
} from './setting.ts';

export const serviceSettings = {
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
  databasePassword: {
    variable: 'DATABASE_PASSWORD_FILE',
    default: '',
    sentence:
      'File that holds the password of `DATABASE_URL`, where that has none: a secret of a container, a credential of systemd.',
    read: secretFile,
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
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    default: '',
    sentence:
      "Addresses and networks of your proxies, such as `127.0.0.1, 10.0.0.0/8`: whom they name in `X-Forwarded-For` or `Forwarded` is the viewer's address.",
    read: proxyList,
  },
  rtmpProxyProtocol: {
    variable: 'RTMP_PROXY_PROTOCOL',
    default: 'false',
    sentence:
      'Whether every RTMP connection from `TRUSTED_PROXIES` begins with a PROXY header (version 1 or 2), as a TCP load balancer sends it: limits, logs and records then know the address of the encoder or player. One without the header is refused; what others send as one is no RTMP.',
    read: flag,
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
  notifySocket: {
    variable: 'NOTIFY_SOCKET',
    default: '',
    sentence:
      'Set by systemd (`Type=notify`): the socket that is told when the service is ready and when it stops.',
    read: text,
  },
  watchdogMicroseconds: {
    variable: 'WATCHDOG_USEC',
    default: '0',
    sentence:
      'Set by systemd (`WatchdogSec`): within so many microseconds it is told again that the service is alive; 0 for never.',
    read: whole(0, 86_400_000_000),
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
  channelsPerAccount: {
    variable: 'CHANNELS_PER_ACCOUNT',
    default: '10000',
    sentence: 'Channels that an account may have; creating another is refused.',
    read: whole(1, 100_000_000),
  },
  deletedChannelDays: {
    variable: 'DELETED_CHANNEL_DAYS',
    default: '7',
    sentence:
      'A deleted channel or video can be restored for so many days; then its files and rows are removed. 0 removes them within a minute.',
    read: whole(0, 36_500),
  },
  eventDays: {
    variable: 'EVENT_DAYS',
    default: '3',
    sentence:
      'Events are kept for so many days, for those who follow them and come back; older ones are removed.',
    read: whole(1, 365),
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
} satisfies Settings;
