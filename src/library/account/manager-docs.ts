// What `/openapi.json` says of an account's channel managers.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { success } from '../people/person.ts';

const managerAnswer = z
  .object({
    id: z.int(),
    username: z.string(),
    channels: z.int().meta({ description: 'how many channels it has' }),
    created_at: z.string(),
  })
  .meta({ title: 'Manager' });

const managerExample = { id: 3, username: 'anna', channels: 2, created_at: '2026-04-02 09:00:41' };

export const managerDocs = {
  listManagers: docs({
    summary: "List the account's channel managers, by their names",
    answer: z.object({ managers: z.array(managerAnswer) }),
    example: { managers: [managerExample] },
  }),
  createManager: docs({
    summary: 'Make a channel manager',
    answer: managerAnswer,
    example: { ...managerExample, channels: 0 },
    errors: ['noPermission'],
  }),
  renameManager: docs({
    summary: 'Give a channel manager another name',
    answer: managerAnswer,
    example: managerExample,
  }),
  removeManager: docs({
    summary:
      'Remove a channel manager: its tokens end and its people are gone, its channels and videos stay with manager 0',
    answer: success,
    example: { result: 'success' as const },
  }),
};
