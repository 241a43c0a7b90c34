// Every setting, by what it is about; what is read from the environment, once. Nothing else reads it.
import { audienceSettings } from './settings/audience-settings.ts';
import { bucketSettings, bucketSettingsProblem } from './settings/bucket-settings.ts';
import { httpSettings } from './settings/http-settings.ts';
import { nodeSettings } from './settings/node-settings.ts';
import { pageSettings } from './settings/page-settings.ts';
import { consoleSettings, signInSettings } from './settings/people-settings.ts';
import { playbackSettings } from './settings/playback-settings.ts';
import { pushSettings } from './settings/push-settings.ts';
import { qrSettings } from './settings/qr-settings.ts';
import { rtmpSettings } from './settings/rtmp-settings.ts';
import { serviceSettings } from './settings/service-settings.ts';
import { type Setting, type Settings, type ValuesOf, withPassword } from './settings/setting.ts';
import { streamSettings } from './settings/stream-settings.ts';
import { webhookBoundSettings, webhookSettings } from './settings/webhook-settings.ts';

/** Those that are about the service, by their names. */
const plainSettings = {
  ...serviceSettings,
  ...nodeSettings,
  ...streamSettings,
  ...bucketSettings,
  ...audienceSettings,
  ...consoleSettings,
  ...webhookSettings,
};

/** What peers may do and hold, by kind of peer: handed to whoever keeps them to it as it stands. */
const boundSettings = {
  http: httpSettings,
  signIn: signInSettings,
  playback: playbackSettings,
  qr: qrSettings,
  rtmp: rtmpSettings,
  push: pushSettings,
  page: pageSettings,
  webhook: webhookBoundSettings,
};

export interface Config extends ValuesOf<typeof plainSettings> {
  bounds: { [Kind in keyof typeof boundSettings]: ValuesOf<(typeof boundSettings)[Kind]> };
}

/** As docs/settings.md shows them. */
const groups: readonly { title: string; tables: readonly Settings[] }[] = [
  { title: 'The service', tables: [serviceSettings] },
  { title: 'Several nodes', tables: [nodeSettings] },
  { title: 'Pushes and recordings', tables: [streamSettings] },
  { title: 'Recordings in S3', tables: [bucketSettings] },
  { title: 'Viewers', tables: [audienceSettings] },
  { title: 'People who sign in', tables: [consoleSettings, signInSettings] },
  { title: 'Webhooks', tables: [webhookSettings, webhookBoundSettings] },
  { title: 'Limits: HTTP', tables: [httpSettings, playbackSettings, qrSettings] },
  { title: 'Limits: RTMP', tables: [rtmpSettings] },
  { title: 'Limits: pushes', tables: [pushSettings] },
  { title: 'Limits: pages', tables: [pageSettings] },
];

/** All of them, as the program, its documents and the tests share them. */
export const settings: readonly Setting<unknown>[] = groups.flatMap(settingsIn);

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every setting; throws one error that names all that are wrong. */
export function readConfig(environment: Environment): Config {
  const { config, problems } = readAll(environment);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return config;
}

/** The same with what cannot be read left at its default, and a sentence for each. */
export function readableConfig(environment: Environment): { config: Config; problems: string[] } {
  const { problems } = readAll(environment);
  const wrong = new Set(problems.map(({ variable }) => variable));
  const readable = Object.entries(environment).filter(([variable]) => !wrong.has(variable));
  const { config } = readAll(Object.fromEntries(readable));
  return { config, problems: problems.map(({ message }) => message) };
}

function readAll(environment: Environment) {
  const problems: { variable: string; message: string }[] = [];
  const valuesOf = <T extends Settings>(table: T) =>
    Object.fromEntries(
      Object.entries(table).map(([name, { variable, default: usual, read }]) => {
        const given = environment[variable]?.trim();
        try {
          return [name, read(given === undefined || given === '' ? usual : given)];
        } catch (error) {
          problems.push({ variable, message: `${variable} ${(error as Error).message}` });
          return [name, undefined];
        }
      }),
    ) as ValuesOf<T>;
  const plain = valuesOf(plainSettings);
  const lacking = problems.length === 0 ? bucketSettingsProblem(plain) : undefined;
  if (lacking) problems.push({ variable: 'S3_URL', message: lacking });
  const config: Config = {
    ...plain,
    databaseUrl: withPassword(plain.databaseUrl ?? '', plain.databasePassword ?? ''),
    bounds: {
      http: valuesOf(boundSettings.http),
      signIn: valuesOf(boundSettings.signIn),
      playback: valuesOf(boundSettings.playback),
      qr: valuesOf(boundSettings.qr),
      rtmp: valuesOf(boundSettings.rtmp),
      push: valuesOf(boundSettings.push),
      page: valuesOf(boundSettings.page),
      webhook: valuesOf(boundSettings.webhook),
    },
  };
  return { config, problems };
}

/** The reference in docs/settings.md, made from the tables; a test compares the two. */
export function settingsTable(): string {
  return groups.map((group) => `## ${group.title}\n\n${tableOf(settingsIn(group))}`).join('\n\n');
}

function settingsIn({ tables }: (typeof groups)[number]): Setting<unknown>[] {
  return tables.flatMap((table) => Object.values(table));
}

function tableOf(rows: readonly Setting<unknown>[]): string {
  const lines = rows.map(
    ({ variable, default: usual, sentence }) =>
      `| \`${variable}\` | ${usual === '' ? '' : `\`${usual}\``} | ${sentence} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...lines].join('\n');
}
