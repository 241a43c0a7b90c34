// What a person is told where the service did not do what they asked.
import { catalogue, type ErrorName } from '../../../base/api/errors.ts';
import { filled } from '../../pages/client/page-elements.ts';
import type { Problem } from './api.ts';
import { inOtherWords, type Sentences } from './known-words.ts';
import { type ConsoleTexts, consoleTexts } from './texts/console-texts.ts';

/** In the person's language; where that does not say all, with the service's own English words behind it. */
export type Sentence = string | { text: string; english: string };

/** For a form that marks its fields. */
export function problemText(problem: Problem, texts: ConsoleTexts): Sentence {
  const { problem: general } = texts;
  if (problem.kind !== 'refused') return general.away;
  if (problem.fields.length > 0) return general.fields;
  if (problem.status === 429)
    return filled(general.too_often, { seconds: Math.max(1, problem.retrySeconds) });
  const name = errorName(problem.code);
  return name ? refusalText(problem, name, texts) : strangersText(problem, texts);
}

/** Where no field is marked: what is wrong with the first of them is the answer. */
export function problemWithoutForm(problem: Problem, texts: ConsoleTexts): Sentence {
  const [first] = problem.fields;
  return (first && fieldProblem(problem, first.name, texts)) ?? problemText(problem, texts);
}

/** The sentence about one field, where there is one: without the field's name, which stands above it. */
export function fieldProblem(
  problem: Problem | undefined,
  name: string,
  { refused }: ConsoleTexts,
): Sentence | undefined {
  const found = problem?.fields.find((field) => field.name === name);
  if (!found) return undefined;
  const said = found.message.startsWith(`${name} `)
    ? found.message.slice(name.length + 1)
    : found.message;
  // What came stands in the field itself.
  const wanted = said.replace(/ \(got .*\)$/s, '');
  const english = wanted.charAt(0).toUpperCase() + wanted.slice(1);
  return told(english, {
    isEnglish: refused.language === 'en',
    known: inOtherWords(wanted, own.fields, refused.fields),
    other: refused.field_other,
  });
}

/** Why a file of a video was not made. */
export function jobProblemText(problem: string, { refused }: ConsoleTexts): Sentence {
  return told(problem, {
    isEnglish: refused.language === 'en',
    known: inOtherWords(problem, own.jobs, refused.jobs),
    other: refused.job_other,
  });
}

/** What the service says, as it says it. */
const own: Readonly<Record<'said' | 'fields' | 'jobs', Sentences>> = consoleTexts.en.refused;

const names = new Map<number, ErrorName>(
  Object.entries(catalogue).map(([name, { code }]) => [code, name as ErrorName]),
);

function errorName(code: number): ErrorName | undefined {
  return names.get(code);
}

/** Where the service's words may say more than the code: elsewhere they name an id, or what an operator looks into. */
const worded: readonly number[] = [400, 403, 409];
/** Of those, what no words add to: they name a number of ours. */
const whole: readonly ErrorName[] = ['notFailed', 'wrongOffset'];

function refusalText({ message }: Problem, name: ErrorName, { refused }: ConsoleTexts): Sentence {
  const known = inOtherWords(message, own.said, refused.said);
  if (known !== undefined) return known;
  const entry = catalogue[name];
  const other = refused.codes[name];
  const mayAdd = worded.includes(entry.status) && !whole.includes(name);
  if (!mayAdd || message === '' || message === entry.message) return other;
  return told(message, { isEnglish: refused.language === 'en', known, other });
}

/** What stands between us has no code of ours. */
function strangersText({ status }: Problem, { problem: texts }: ConsoleTexts): string {
  if (status === 403) return texts.forbidden;
  return status === 502 || status === 503 || status === 504 ? texts.busy : texts.internal;
}

function told(
  english: string,
  { isEnglish, known, other }: { isEnglish: boolean; known: string | undefined; other: string },
): Sentence {
  if (isEnglish) return english;
  return known ?? { text: other, english };
}
