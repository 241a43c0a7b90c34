// A registration form: the fields that whoever runs a channel asks for, and what may be answered in each.
import { plainDigits } from '../../base/lib/plain-digits.ts';
import { visibleText } from '../../base/lib/visible-text.ts';
import { admissionLimits } from './admission-limits.ts';

export const formFieldKinds = ['text', 'email', 'phone', 'number', 'choice', 'tick'] as const;
export type FormFieldKind = (typeof formFieldKinds)[number];

export interface FormField {
  /** By which answers are kept and exported. */
  name: string;
  /** What stands at the field. */
  label: string;
  kind: FormFieldKind;
  /** Of a tick: it must be ticked. */
  required: boolean;
  /** Of `choice` alone. */
  choices: string[];
}

/** What somebody answered in one field. */
export type Answer = string | number | boolean;
/** By the names of the fields; what was left empty is not in it. */
export type Answers = Readonly<Record<string, Answer>>;

/** What is wrong with an answer. */
export type AnswerProblem = 'missing' | 'long' | 'email' | 'phone' | 'number' | 'choice';

/** Field by field, what is wrong with what was typed. */
export type AnswerProblems = ReadonlyMap<string, AnswerProblem>;

/** `typed`: what was sent with the form, by the names of its fields; what else is in it is nobody's answer. */
export function readAnswers(
  form: readonly FormField[],
  typed: Readonly<Record<string, unknown>>,
): { answers: Answers } | { problems: AnswerProblems } {
  const problems = new Map<string, AnswerProblem>();
  const answers: [string, Answer][] = [];
  for (const field of form) {
    const read = readAnswer(field, typedIn(typed, field.name));
    if ('problem' in read) problems.set(field.name, read.problem);
    else if (read.answer !== undefined) answers.push([field.name, read.answer]);
  }
  return problems.size > 0 ? { problems } : { answers: Object.fromEntries(answers) };
}

/** Of a name that came twice nothing is taken. */
export function typedIn(typed: Readonly<Record<string, unknown>>, name: string): string {
  const text = Object.hasOwn(typed, name) ? typed[name] : undefined;
  return typeof text === 'string' ? text : '';
}

type Read = { answer: Answer | undefined } | { problem: AnswerProblem };

function readAnswer({ kind, required, choices }: FormField, typed: string): Read {
  if (kind === 'tick') {
    const isTicked = typed !== '';
    return required && !isTicked ? { problem: 'missing' } : { answer: isTicked };
  }
  if (typed.trim().length > admissionLimits.answerCharactersMax) return { problem: 'long' };
  const text = visibleText(typed).trim();
  if (text === '') return required ? { problem: 'missing' } : { answer: undefined };
  if (kind === 'text') return { answer: text };
  if (kind === 'choice') return choices.includes(text) ? { answer: text } : { problem: 'choice' };
  if (kind === 'number') return numberIn(plainDigits(text));
  // Chinese and Japanese keyboards have wide forms of all that it is written with.
  const plain = kind === 'phone' ? plainDigits(text) : text.normalize('NFKC');
  return isOf[kind].test(plain) ? { answer: plain } : { problem: kind };
}

/** As far as it can be told without sending something there. */
const isOf = {
  email: /^[^\s@"<>(),:;[\]\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}$/u,
  phone: /^\+?(?:[\s()./-]*\d){4,17}[\s()./-]*$/,
} as const;

/** Fifteen digits come through every program's numbers unchanged. */
const numberText = /^[+-]?(?=(?:\D*\d){1,15}\D*$)\d+(?:[.,]\d+)?$/;

function numberIn(text: string): Read {
  if (!numberText.test(text)) return { problem: 'number' };
  return { answer: Number(text.replace(',', '.')) };
}
