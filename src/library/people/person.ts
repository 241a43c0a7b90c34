// A person who signs in, as the interface names and shows one.
import * as z from 'zod';
import { idMax, integer } from '../../base/api/fields.ts';

/** How every operation on one person names them: by the id in its path. */
export const personById = {
  params: { person_id: integer('person id', { min: 1, max: idMax }) },
  absent: 'noPerson',
} as const;

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
