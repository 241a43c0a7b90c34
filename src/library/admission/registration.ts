// A registration: who has filled in the form of a channel or a video, and what they answered.
import type { Zone } from '../../base/lib/time.ts';
import type { Answers } from './registration-form.ts';

export interface RegistrationRow {
  /** Random; it stands for its holder in passes. */
  id: string;
  viewer_id: string;
  /** Of the fields as they were then, as JSON. */
  names: string;
  /** As JSON, by those names. */
  answers: string;
  registered_at: number;
  /** Null: it lets its viewer in. */
  ended_at: number | null;
  /** To the channel; 0 where the viewer has not come yet. */
  visit_times: number;
}

export function readStoredAnswers(answers: string): Answers {
  return JSON.parse(answers) as Answers;
}

export function registrationView(row: RegistrationRow, zone: Zone) {
  const { id, viewer_id, answers, registered_at, ended_at, visit_times } = row;
  return {
    id,
    viewer_id,
    answers: readStoredAnswers(answers),
    registered_at: zone.dateTime(registered_at),
    ended_at: ended_at === null ? '' : zone.dateTime(ended_at),
    visit_times: Number(visit_times),
  };
}

/** Columns of a table: a name of somebody's own is never taken for one of ours. */
export function answerColumn(name: string): string {
  return `answers.${name}`;
}

/** By those columns; what was ticked or not is said in words. */
export function answerCells(answers: Answers): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      answerColumn(name),
      typeof answer === 'boolean' ? String(answer) : answer,
    ]),
  );
}
