// A person who signs in, as the interface reads and shows one.
import * as z from 'zod';
import { idMax, integer, secretText, text } from '../../base/api/fields.ts';
import { passwordCharacters } from './password.ts';

/** How every operation on one person names them: by the id in its path. */
export const personById = {
  params: { person_id: integer('person id', { min: 1, max: idMax }) },
  absent: 'noPerson',
} as const;

export const userNameField = text('user name or email; letters of any case are the same', {
  min: 1,
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['ada@example.com'],
});

export const personNameField = text('the name that others are shown', {
  min: 1,
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['Ada'],
});

/** One that is set; what is wrong with it besides `password.ts` says. */
export const newPasswordField = secretText('a new password, not a common one nor the user name', {
  ...passwordCharacters,
  examples: ['three green lamps'],
});

/** One that is compared: any that may have been set. */
export const passwordField = secretText('the password', {
  min: 1,
  max: passwordCharacters.max,
  examples: ['three green lamps'],
});

export const linkField = secretText('what stands behind the # of the link', {
  min: 1,
  max: 200,
  examples: ['2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u'],
});

export const managerAnswer = z
  .object({ id: z.int(), username: z.string() })
  .nullable()
  .meta({ description: "null on the account's own side" });

/** Of a row of the database. */
export function managerView(row: { manager_id: number; manager_username: string | null }) {
  return row.manager_id === 0 ? null : { id: row.manager_id, username: row.manager_username ?? '' };
}

export const success = z.object({ result: z.literal('success') });

export const succeeded = { body: { result: 'success' } } as const;
