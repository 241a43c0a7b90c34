// `footlight serve`: the service until a signal ends it.
import { resolve } from 'node:path';
import pkg from '../../../package.json' with { type: 'json' };
import { openLibc } from '../../base/lib/libc.ts';
import { startLog } from '../../base/lib/log.ts';
import type { Config } from '../../config.ts';
import { linkAddress } from '../../library/people/console-link.ts';
import type { Service } from '../../main.ts';
import { startSupervision } from '../../supervision.ts';
import { forOthers, rtmpAddress, siteAddress } from '../parts/addresses.ts';
import { type Command, command } from '../parts/command.ts';
import { misspeltSettings } from '../parts/misspelt-settings.ts';

export const serveCommand: Command = command({
  name: 'serve',
  audit: 'nothing',
  sentence: 'Run the service; `npm start` does the same.',
  more: 'With --json the greeting is one JSON line; the log on standard error is JSON in any case.',
  run: async (_, { config, environment, out }) => {
    // An operator who has renewed the certificate sends SIGHUP, which would end a process that does not listen to it.
    const started = Promise.withResolvers<Service>();
    process.on('SIGHUP', () => started.promise.then((service) => service.renewCertificate()));
    // From here on a signal, also one that comes while the service starts, ends it in good order.
    const signalled = firstSignal();
    const log = startLog(config.logLevel);
    for (const { variable, meant } of misspeltSettings(environment))
      log.warn('a variable is no setting, and is ignored', { variable, meant });
    // Most of the program, which no other command needs to read.
    const { startService } = await import('../../main.ts');
    const replaced = Promise.withResolvers<string>();
    const drained = Promise.withResolvers<string>();
    const told = {
      onReplaced: replaced.resolve,
      onDrain: () => drained.resolve('node drain'),
    };
    const service = await startService(config, { log, signalled, ...told }).catch((error) => {
      throw explained(error, config);
    });
    started.resolve(service);
    const greeted = out.isJson
      ? out.line(startedView(service, config))
      : out.text(greeting(service, config));
    // It runs also where nobody reads its greeting.
    await greeted.catch(() => {});
    const { notifySocket, watchdogMicroseconds } = config;
    const supervision = startSupervision({
      notifySocket,
      watchdogMs: watchdogMicroseconds / 1_000,
      libc: openLibc(),
      look: service.look,
      log,
    });
    const ended = Promise.race([
      signalled,
      drained.promise,
      replaced.promise.then((reason) => new Error(reason)),
    ]);
    const signal = await ended;
    supervision.stopping();
    log.info('stopping', { signal: signal instanceof Error ? signal.message : signal });
    const isClosed = await service.stop();
    if (signal instanceof Error) throw signal;
    // Nobody waits for the database any more, but what was asked of it would still keep the process.
    if (!isClosed) process.exit(0);
  },
});

/** Resolves with the first SIGTERM or SIGINT; a second one ends the process at once. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      process.once(signal, () => {
        process.on('SIGTERM', () => process.exit(code));
        process.on('SIGINT', () => process.exit(code));
        resolve(signal);
      });
    }
  });
}

/** The greeting for programs. */
function startedView({ port, rtmpPort, firstToken, firstLink }: Service, config: Config) {
  const address = siteAddress(config, port);
  return {
    version: pkg.version,
    address,
    rtmp: rtmpAddress({ ...config, rtmpPort }),
    ...(firstToken !== undefined && { token: firstToken }),
    ...(firstLink !== undefined && { console_link: linkAddress(address, firstLink) }),
  };
}

function greeting(service: Service, config: Config): string {
  const { port, rtmpPort, firstToken, firstLink } = service;
  const shown = forOthers(config);
  const address = siteAddress(shown, port);
  const here = siteAddress(config, port);
  const lines = [
    ...(firstLink === undefined ? [] : openConsole(linkAddress(address, firstLink))),
    `Footlight ${pkg.version} is running.`,
    '',
    `  address     ${address}${here === address ? '' : ` (on this machine also ${here})`}`,
    `  interface   ${address}/docs`,
    `  RTMP        ${rtmpAddress({ ...shown, rtmpPort })} (something to push: npx footlight demo)`,
    `  database    ${config.databaseUrl === '' ? `SQLite in ${resolve(config.dataDir)}` : 'PostgreSQL'}`,
  ];
  const nobody = service.hasPeople
    ? []
    : [
        firstLink === undefined
          ? 'Nobody can sign in to the console yet. A link that makes a person: npx footlight console-link'
          : 'If the link above is lost or too old: npx footlight console-link',
      ];
  if (firstToken === undefined)
    return [...lines, '', ...nobody, 'A new token: npx footlight token create', ''].join('\n');
  return [
    ...lines,
    `  token       ${firstToken}`,
    '',
    ...nobody,
    'The token is shown this once. If it is lost: npx footlight token create',
    'Make a channel:',
    '',
    `  curl -H 'Authorization: Bearer ${firstToken}' -H 'Content-Type: application/json' -d '{"name":"My first channel"}' ${address}/v1/activities`,
    '',
  ].join('\n');
}

/** First of all, for who sees this for the first time. */
function openConsole(link: string): string[] {
  return ['Open this link to begin. It is good once, and for an hour:', '', `  ${link}`, ''];
}

function explained(error: unknown, { port, host, dataDir }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new Error(
      `port ${port} is in use: stop the program that has it, or choose another with PORT`,
      {
        cause: error,
      },
    );
  }
  if (code === 'EADDRNOTAVAIL')
    return new Error(`HOST ${host} is no address of this machine`, { cause: error });
  if (code === 'EACCES') {
    return new Error(`no permission to use the data folder ${dataDir} or port ${port}`, {
      cause: error,
    });
  }
  return error;
}
