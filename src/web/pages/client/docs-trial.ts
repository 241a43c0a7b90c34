// Trying an operation from its page: its fields as a form, one's own token, the answer as it came.
import {
  readSome,
  type SentTrial,
  sentOf,
  type TrialField,
  type TrialKind,
} from './trial-request.ts';

/** One who reads has one token: it is in the memory of this page alone, and goes with it. */
interface Memory {
  token: string;
}

export interface Trials {
  hasToken(): boolean;
}

export function startTrials(): Trials {
  const memory: Memory = { token: '' };
  const forms = new WeakMap<Element, HTMLFormElement>();
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button.try') : null;
    const section = button?.closest<HTMLElement>('.operation');
    if (!button || !section) return;
    const known = forms.get(button);
    const trial = known ?? trialForm(section, memory);
    if (known) known.hidden = !known.hidden;
    else button.after(trial);
    forms.set(button, trial);
    button.ariaExpanded = String(!trial.hidden);
    if (trial.hidden) return;
    const token = trial.querySelector<HTMLInputElement>('input[type=password]');
    if (token) token.value = memory.token;
    (memory.token === '' ? token : trial.querySelector<HTMLElement>('.send'))?.focus();
  });
  return { hasToken: () => memory.token !== '' };
}

function trialForm(section: HTMLElement, memory: Memory): HTMLFormElement {
  const { method = 'GET', path = '' } = section.dataset;
  const isWrite = 'writes' in section.dataset;
  const title = section.querySelector('h2')?.textContent?.trim() ?? '';
  const form = made('form', { className: 'trial', ariaLabel: `Try: ${title}`, noValidate: true });
  const token = made('input', { type: 'password', autocomplete: 'off', spellcheck: false });
  token.addEventListener('input', () => {
    memory.token = token.value;
  });
  const fields = fieldsOf(section).map((field) => ({ field, input: inputOf(field) }));
  const outcome = made('div', { className: 'outcome', ariaLive: 'polite' });
  const send = made('button', { className: 'button send', textContent: `Send ${method} request` });
  const confirm = made('button', { type: 'button', className: 'button', textContent: title });
  const cancel = made('button', { type: 'button', className: 'plain', textContent: 'Cancel' });
  const asking = made('p', {
    textContent: 'This changes something on this service, for good or until you undo it:',
  });
  const question = made('div', { className: 'row', hidden: true });
  question.append(asking, confirm, cancel);

  const run = async () => {
    const given = fields.map(({ field, input }) => ({ ...field, value: input.value }));
    send.disabled = true;
    try {
      await show(outcome, sentOf({ method, path, fields: given, token: memory.token.trim() }));
    } finally {
      send.disabled = false;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const problem = problemOf({ token: memory.token, fields });
    if (problem) {
      outcome.replaceChildren(made('p', { className: 'problem', textContent: problem.sentence }));
      (problem.input ?? token).focus();
    } else if (isWrite) {
      question.hidden = false;
      confirm.focus();
    } else void run();
  });
  const close = () => {
    question.hidden = true;
    send.focus();
  };
  cancel.addEventListener('click', close);
  confirm.addEventListener('click', () => {
    close();
    void run();
  });

  const row = made('div', { className: 'row' });
  row.append(send);
  form.append(
    labelled('Your token (kept while you follow links here; a reload forgets it)', token),
    ...fields.map(({ field, input }) => labelled(labelOf(field), input)),
    row,
    question,
    outcome,
  );
  return form;
}

interface Filled {
  field: TrialField;
  input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
}

/** Nothing is sent without a token, or without what the path needs. */
function problemOf({ token, fields }: { token: string; fields: readonly Filled[] }) {
  if (token.trim() === '')
    return { sentence: 'Type a token first: without one nothing is sent.', input: undefined };
  const missing = fields.find(({ field, input }) => field.place === 'path' && input.value === '');
  return missing && { sentence: `${missing.field.name} must be given.`, input: missing.input };
}

/** As the section lists them. */
function fieldsOf(section: HTMLElement): TrialField[] {
  return [...section.querySelectorAll<HTMLElement>('li[data-in]')].map(({ dataset }) => ({
    name: dataset['name'] ?? '',
    place: dataset['in'] as TrialField['place'],
    kind: dataset['type'] as TrialKind,
    isRequired: 'required' in dataset,
    example: dataset['example'] === undefined ? undefined : JSON.parse(dataset['example']),
  }));
}

function inputOf({ kind, isRequired, place, example }: TrialField): Filled['input'] {
  const shown = typeof example === 'object' ? JSON.stringify(example) : String(example ?? '');
  if (kind === 'boolean') {
    const select = made('select', {});
    for (const value of ['', 'true', 'false'])
      select.append(new Option(value === '' ? 'not given' : value, value));
    return select;
  }
  if (kind === 'json') return made('textarea', { rows: 2, placeholder: shown });
  const input = made('input', { type: 'text', placeholder: shown, autocomplete: 'off' });
  if (kind === 'integer') input.inputMode = 'numeric';
  // What must be given is there to be changed, but never a path's id: that is the reader's own.
  if (isRequired && place !== 'path') input.value = shown;
  return input;
}

function labelOf({ name, place, isRequired }: TrialField): string {
  return `${name} (${place}${isRequired ? ', required' : ''})`;
}

async function show(outcome: HTMLElement, sent: SentTrial): Promise<void> {
  outcome.replaceChildren(made('p', { textContent: `${sent.method} ${sent.address} …` }));
  try {
    const answer = await fetch(sent.address, {
      method: sent.method,
      headers: sent.headers,
      ...(sent.body !== undefined && { body: sent.body }),
      // The token decides, not who has signed in here.
      credentials: 'omit',
      cache: 'no-store',
    });
    const status = made('p', { className: 'status' });
    status.append(made('b', { textContent: `${answer.status} ${answer.statusText}`.trim() }));
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const details = made('details', {});
    details.append(made('summary', { textContent: 'Headers' }), codeOf('Headers', headers));
    outcome.replaceChildren(status, codeOf('Answer', await readSome(answer)), details);
  } catch (error) {
    const sentence = `No answer came: ${(error as Error).message}`;
    outcome.replaceChildren(made('p', { className: 'problem', textContent: sentence }));
  }
}

function codeOf(label: string, text: string): HTMLElement {
  const box = made('div', { className: 'code' });
  const copy = made('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  copy.ariaLabel = `Copy: ${label}`;
  const pre = made('pre', { tabIndex: 0, role: 'group', ariaLabel: label, textContent: text });
  box.append(copy, pre);
  return box;
}

function labelled(text: string, input: HTMLElement): HTMLLabelElement {
  const label = made('label', {});
  label.append(text, input);
  return label;
}

function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
