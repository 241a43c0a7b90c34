// The door: what stands in the place of a page that not everybody may watch, until its viewer may.
import type { AdmissionKind } from '../../library/admission/admission.ts';
import { admissionLimits } from '../../library/admission/admission-limits.ts';
import type { FormField } from '../../library/admission/registration-form.ts';
import type { PageValues } from '../../library/channels/page.ts';
import type { PageAssets } from './assets.ts';
import { type FilledForm, registrationForm } from './door-form.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';
import { loadable } from './loadable-address.ts';
import type { Language } from './page-data.ts';
import { texts as allTexts } from './texts.ts';
import type { PageTexts } from './texts-en.ts';

/** Why somebody stands before it: what their pass was worth, or what became of what they typed. */
export type DoorState =
  | 'none'
  | 'other'
  | 'expired'
  | 'ended'
  | 'wrong'
  /** Of a form: something is marked, nobody may register any more, this viewer may not. */
  | 'marked'
  | 'full'
  | 'shut'
  /** Tried too often. */
  | { waitMs: number };

export interface DoorPage {
  kind: AdmissionKind;
  state: DoorState;
  /** What is asked of whoever registers. */
  form: readonly FormField[];
  /** Where it comes back. */
  filled?: FilledForm | undefined;
  /** Of the channel, or of the video. */
  name: string;
  /** Empty where it is not to be shown. */
  cover: string;
  settings: Pick<PageValues, 'theme' | 'bg_color' | 'pc_logo' | 'cover_image' | 'footer'>;
  isEmbed: boolean;
  /** Where the form is sent: the page's own path. */
  action: string;
  /** What is shared; its address without anybody's pass. */
  url: string;
  language: Language;
  baseUrl: string;
  nonce: string;
  assets: PageAssets;
}

export function doorPage(given: DoorPage): string {
  const { name, cover, settings, isEmbed, url, language, baseUrl, nonce, assets } = given;
  const texts = allTexts[language];
  const picture = loadable(cover);
  const logo = loadable(settings.pc_logo);
  return page({
    texts,
    title: name,
    theme: settings.theme,
    bgColor: settings.bg_color,
    nonce,
    assets,
    kind: isEmbed ? 'door embed' : 'door',
    state: 'waiting',
    shared: isEmbed ? undefined : { url, image: cover, baseUrl },
    iconAddress: cover === '' ? '' : settings.cover_image,
    // Without it whoever comes back types again.
    script: isEmbed ? 'door' : undefined,
    data: undefined,
    body: html`<main class="card">${picture ? html`<img class="cover" src="${picture}" alt="">` : ''}
<div class="words">${logo ? html`<img class="house" src="${logo}" alt="">` : ''}<h1 dir="auto">${name}</h1>${asked(given, texts)}</div></main>
${settings.footer && !isEmbed ? html`<footer dir="auto">${settings.footer}</footer>` : ''}`,
  });
}

/** What is typed, by kind; without one nothing is. */
const typed = {
  password: { name: 'password', type: 'password', autocomplete: 'off' },
  codes: { name: 'code', type: 'text', autocomplete: 'one-time-code' },
  list: { name: 'who', type: 'text', autocomplete: 'tel' },
} as const;

type TypedKind = keyof typeof typed;

function isTyped(kind: AdmissionKind): kind is TypedKind {
  return kind in typed;
}

/** A word of what became of it, and what is wanted. */
function asked(given: DoorPage, texts: PageTexts): Html {
  const { door } = texts;
  const { kind, state, form, filled, action } = given;
  const said = sayingOf(state, texts);
  const word = said ? html`<p id="door-word" class="word" role="alert">${said}</p>` : '';
  if (state === 'full' || state === 'shut') return html`${word}`;
  if (kind === 'form')
    return html`${said ? word : html`<p class="soft">${door.form}</p>`}${registrationForm({ form, filled, action }, texts)}`;
  if (!isTyped(kind)) return html`${word}<p class="soft">${door.signed}</p>`;
  return html`${isOfTyped(state) ? '' : word}<p class="soft">${door[kind]}</p>${fieldOf(given, { kind, texts, said })}`;
}

/** Not of what somebody came with: it stands at the field. */
function isOfTyped(state: DoorState): boolean {
  return state === 'wrong' || typeof state === 'object';
}

function fieldOf(
  { action, state }: DoorPage,
  { kind, texts, said }: { kind: TypedKind; texts: PageTexts; said: string },
): Html {
  const { door } = texts;
  const { name, type, autocomplete } = typed[kind];
  const describedBy = said ? html` aria-describedby="door-word"` : '';
  const invalid = state === 'wrong' ? html` aria-invalid="true"` : '';
  const word = isOfTyped(state)
    ? html`<p id="door-word" class="wrong" role="alert">${said}</p>`
    : '';
  // Whoever was wrong types again; whoever has only come sees the page first.
  const focus = state === 'wrong' ? html` autofocus` : '';
  return html`<form method="post" action="${action}"><label for="door-field">${door[`${kind}_label`]}</label>
<div class="say"><input id="door-field" name="${name}" type="${type}" required maxlength="${admissionLimits.passwordCharactersMax}" autocomplete="${autocomplete}" autocapitalize="off" spellcheck="false" dir="auto" enterkeyhint="go"${describedBy}${invalid}${focus}>
<button type="submit" class="button">${door.enter}</button></div>${word}</form>`;
}

function sayingOf(state: DoorState, texts: PageTexts): string {
  if (state === 'none') return '';
  if (state === 'shut') return texts.door.ended;
  if (typeof state === 'string') return texts.door[state];
  return texts.door.wait.replace('{time}', spanText(state.waitMs, texts));
}

/** Rounded up: whoever waits that long may try again. */
function spanText(ms: number, texts: PageTexts): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100
    ? `${seconds} ${texts.seconds}`
    : `${Math.ceil(seconds / 60)} ${texts.minutes}`;
}
