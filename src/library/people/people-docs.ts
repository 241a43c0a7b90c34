// What `/openapi.json` says of an account's people.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { managerAnswer, success } from './person.ts';

const personAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    user_name: z.string(),
    manager: managerAnswer,
    made_at: z.string(),
    last_used_at: z
      .string()
      .meta({ description: 'when they last used the console; empty where they are signed out' }),
  })
  .meta({ title: 'Person' });

const invitationAnswer = z
  .object({
    id: z.int(),
    name: z.string().meta({ description: 'whom it was made for; may be empty' }),
    manager: managerAnswer,
    made_at: z.string(),
    expires_at: z.string(),
  })
  .meta({ title: 'Invitation' });

const linkAnswer = z
  .object({
    link: z.string().meta({ description: 'good once; it is shown this once' }),
    expires_at: z.string(),
  })
  .meta({ title: 'OneTimeLink' });

const linkExample = {
  link: 'https://live.example.com/console/link#2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u',
  expires_at: '2026-05-08 19:30:00',
};

export const peopleDocs = {
  listPeople: docs({
    summary: "List the account's people and the invitations that are open",
    answer: z.object({ people: z.array(personAnswer), invitations: z.array(invitationAnswer) }),
    example: {
      people: [
        {
          id: 1,
          name: 'Ada',
          user_name: 'ada@example.com',
          manager: null,
          made_at: '2026-04-02 09:00:41',
          last_used_at: '2026-05-01 19:29:08',
        },
      ],
      invitations: [
        {
          id: 4,
          name: 'Anna',
          manager: { id: 3, username: 'anna' },
          made_at: '2026-05-01 19:30:00',
          expires_at: '2026-05-08 19:30:00',
        },
      ],
    },
  }),
  invitePerson: docs({
    summary: 'Invite a person: a link, good once and for seven days, to hand over',
    note: "Without `manager_id` the person is of the account's own side and may do everything; with it they see what the manager's token would.",
    answer: linkAnswer,
    example: linkExample,
    errors: ['noUser', 'noPermission'],
  }),
  withdrawInvitation: docs({
    summary: 'Withdraw an invitation that is open',
    answer: success,
    example: { result: 'success' as const },
  }),
  resetPerson: docs({
    summary: 'Make a link, good once and for an hour, by which a person sets a new password',
    note: 'A link that was made before for the same person is good no more.',
    answer: linkAnswer,
    example: linkExample,
    errors: ['noPermission'],
  }),
  removePerson: docs({
    summary: 'Remove a person; their sessions end at once',
    note: "The last person of the account's own side stays.",
    answer: success,
    example: { result: 'success' as const },
    errors: ['lastPerson'],
  }),
  endPersonSessions: docs({
    summary: 'End all sessions of a person',
    answer: z.object({ ended: z.int().meta({ description: 'how many' }) }),
    example: { ended: 2 },
  }),
};
