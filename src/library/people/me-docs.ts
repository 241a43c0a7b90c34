// What `/openapi.json` says of who asks and their sessions.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { meAnswer, meExample } from './me.ts';
import { success } from './person.ts';

const sessionAnswer = z
  .object({
    id: z.int(),
    made_at: z.string().meta({ description: 'when the person signed in' }),
    last_used_at: z.string().meta({ description: 'to the minute' }),
    address: z.string().meta({ description: 'network address that it was last used from' }),
    device: z.string(),
    browser: z.string(),
    current: z.boolean().meta({ description: 'whether it is the one that asks' }),
  })
  .meta({ title: 'ConsoleSession' });

export const meDocs = {
  getMe: docs({
    summary: 'Get who asks, and what they may do',
    answer: meAnswer,
    example: meExample,
    errors: ['noPerson'],
  }),
  changeMe: docs({
    summary: 'Change the name or the password of who asks',
    note: 'A new password needs the old one, and ends all other sessions of the person.',
    answer: meAnswer,
    example: meExample,
    errors: ['wrongPassword', 'noPerson', 'missing', 'rateLimit'],
  }),
  listMySessions: docs({
    summary: 'List where who asks has signed in',
    answer: z.object({ sessions: z.array(sessionAnswer) }),
    example: {
      sessions: [
        {
          id: 7,
          made_at: '2026-05-01 09:12:40',
          last_used_at: '2026-05-01 19:29:08',
          address: '192.0.2.7',
          device: 'PC',
          browser: 'Firefox',
          current: true,
        },
      ],
    },
  }),
  endMySession: docs({
    summary: 'End one session of who asks; refused from its next request on',
    answer: success,
    example: { result: 'success' as const },
  }),
  endMyOtherSessions: docs({
    summary: 'End all sessions of who asks but this one',
    answer: z.object({ ended: z.int().meta({ description: 'how many' }) }),
    example: { ended: 2 },
  }),
};
