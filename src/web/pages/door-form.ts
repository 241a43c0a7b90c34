// The registration form at the door: a field for each that is asked for, as it was filled in, with what is wrong beside it.
import { admissionLimits } from '../../library/admission/admission-limits.ts';
import {
  type AnswerProblems,
  type FormField,
  type FormFieldKind,
  typedIn,
} from '../../library/admission/registration-form.ts';
import { type Html, html, raw } from './html.ts';
import type { PageTexts } from './texts-en.ts';

/** As it was sent, and what is wrong with it. */
export interface FilledForm {
  typed: Readonly<Record<string, unknown>>;
  problems: AnswerProblems;
}

/** The service says what is wrong, in the page's own words and with all of it at once; browsers do it one by one. */
export function registrationForm(
  given: { form: readonly FormField[]; filled: FilledForm | undefined; action: string },
  texts: PageTexts,
): Html {
  const { form, filled, action } = given;
  const { door } = texts;
  const firstWrong = form.find(({ name }) => filled?.problems.has(name))?.name;
  const fields = form.map((field, at) => {
    const { name } = field;
    const problem = filled?.problems.get(name);
    const typed = filled ? typedIn(filled.typed, name) : '';
    const id = `door-${at}`;
    const wrong = problem
      ? html`<p id="${id}-word" class="wrong">${door.problems[problem]}</p>`
      : '';
    const marks = html`${field.required ? html` required` : ''}${problem ? html` aria-invalid="true" aria-describedby="${id}-word"` : ''}${name === firstWrong ? html` autofocus` : ''}`;
    return html`<div class="asked">${control(field, { id, typed, marks, texts })}${wrong}</div>`;
  });
  return html`<form class="registration" method="post" action="${action}" novalidate>${fields}
<p class="soft small">${door.form_goes}</p><button type="submit" class="button">${door.register}</button></form>`;
}

interface Control {
  id: string;
  typed: string;
  /** Attributes of what is typed into. */
  marks: Html;
  texts: PageTexts;
}

function control(field: FormField, { id, typed, marks, texts: { door } }: Control): Html {
  const { name, label, kind, required, choices } = field;
  const optional = required ? '' : html` <span class="soft">${door.optional}</span>`;
  const said = html`${label}${optional}`;
  if (kind === 'tick') {
    const ticked = typed === '' ? '' : html` checked`;
    return html`<label class="tick" dir="auto"><input id="${id}" name="${name}" type="checkbox" value="1"${ticked}${marks}><span>${said}</span></label>`;
  }
  const head = html`<label for="${id}" dir="auto">${said}</label>`;
  if (kind === 'choice') {
    const options = choices.map(
      (one) => html`<option${one === typed ? html` selected` : ''}>${one}</option>`,
    );
    return html`${head}<select id="${id}" name="${name}" dir="auto"${marks}><option value="">${door.choose}</option>${options}</select>`;
  }
  return html`${head}<input id="${id}" name="${name}" value="${typed}" maxlength="${admissionLimits.answerCharactersMax}" dir="auto"${raw(inputs[kind])}${marks}>`;
}

/** What a phone's keyboard and a browser's memory are told. */
const inputs = {
  text: ' type="text"',
  email: ' type="email" autocomplete="email"',
  phone: ' type="tel" autocomplete="tel"',
  number: ' type="text" inputmode="decimal"',
} as const satisfies Partial<Record<FormFieldKind, string>>;
