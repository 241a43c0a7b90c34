// For looking at the console: a channel for each kind of who may watch it, with whom it lets in, and a video with captions.
import type { AdmissionKind } from '../../src/library/admission/admission.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import type { Ask } from './console-asker.ts';

/** Those of which the console shows something of their own. */
export const doorKinds = [
  'password',
  'codes',
  'list',
  'form',
  'signed',
] as const satisfies readonly AdmissionKind[];
type DoorKind = (typeof doorKinds)[number];
/** The channel of each; of the last two nobody has come in yet, nor could. */
export type Doors = Record<DoorKind | 'no-codes' | 'nobody', number>;

const rules: Record<DoorKind, Record<string, unknown>> = {
  password: { password: 'open sesame' },
  codes: {},
  list: { list: ['13800000000', 'li.wei', 'u-1029', 'u-1030', '+44 20 7946 0958'] },
  signed: { show_cover: false },
  form: {
    form: [
      { name: 'name', label: 'Your name', kind: 'text', required: true },
      { name: 'email', label: 'Email address', kind: 'email', required: true },
      {
        name: 'track',
        label: 'Which part are you coming for?',
        kind: 'choice',
        choices: ['The keynote', 'The workshops'],
      },
      { name: 'terms', label: 'I agree to the terms', kind: 'tick', required: true },
    ],
  },
};

export async function makeDoors(service: ServiceProcess, ask: Ask): Promise<Doors> {
  const kinds: (readonly [keyof Doors, DoorKind])[] = doorKinds.map((kind) => [kind, kind]);
  const made: [string, number][] = [];
  for (const [name, kind] of [...kinds, ['no-codes', 'codes'], ['nobody', 'form']] as const) {
    const { id } = await ask('POST', '/v1/activities', { name: `Partner briefing, by ${kind}` });
    await ask('PUT', `/manage/v1/channels/${id}/access`, { kind, ...rules[kind] });
    made.push([name, id]);
  }
  const doors = Object.fromEntries(made) as Doors;
  await useCodes(service, ask, doors.codes);
  await registerSome(service, ask, doors.form);
  return doors;
}

/** Some are used up, some for whoever has them, and one is of a long note. */
async function useCodes(service: ServiceProcess, ask: Ask, channel: number): Promise<void> {
  const path = `/manage/v1/channels/${channel}/access/codes`;
  const { codes } = await ask('POST', path, { count: 12, note: 'Speakers' });
  await ask('POST', path, { count: 3, uses: 0, note: 'The press' });
  const note = 'For everybody who could not come to the spring launch and asked for a seat';
  await ask('POST', path, { count: 2, uses: 25, note });
  for (const { code } of codes.slice(0, 5)) await enter(service, channel, { code });
}

async function registerSome(service: ServiceProcess, ask: Ask, channel: number): Promise<void> {
  const names = ['Li Wei', 'Zoë Brandt', 'محمد علي', 'A name of many words '.repeat(4)];
  for (let at = 0; at < 24; at += 1) {
    const name = names[at % names.length] ?? '';
    const track = at % 2 === 0 ? 'The keynote' : '';
    await enter(service, channel, { name, email: `guest${at}@example.com`, track, terms: '1' });
  }
  const path = `/manage/v1/channels/${channel}`;
  const { registrations } = await ask('GET', `${path}/registrations?perPage=3`);
  await ask('POST', `${path}/access/revoke`, { registration: registrations[2].id });
}

/** Somebody else each time: no cookie comes along. */
async function enter(
  { url }: ServiceProcess,
  channel: number,
  typed: Record<string, string>,
): Promise<void> {
  const body = new URLSearchParams(typed);
  const address = `${url}/watch/${channel}`;
  const { status } = await fetch(address, { method: 'POST', redirect: 'manual', body });
  if (status !== 303) throw new Error(`the door of ${channel} says ${status}`);
}

/** By which the video is found in the list. */
export const captionedName = 'The keynote, from beginning to end';

const languages = ['en-GB', 'de', 'zh-Hant', 'ar'];

export async function addCaptions(
  { url, token }: ServiceProcess,
  ask: Ask,
  video: number,
): Promise<void> {
  const path = `/manage/v1/videos/${video}`;
  await ask('PUT', path, { name: captionedName });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/vtt' };
  const body = 'WEBVTT\n\n00:01.000 --> 00:02.500\nGood evening\n';
  for (const language of languages)
    await fetch(`${url}${path}/captions/${language}`, { method: 'PUT', headers, body });
}
