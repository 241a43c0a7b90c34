// What `/openapi.json` says of signing in and out, and of one-time links.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { linkPurposes } from './console-link.ts';
import { meAnswer, meExample } from './me.ts';
import { managerAnswer, success } from './person.ts';

const setsCookie = { 'Set-Cookie': 'the session, and a mark of the browser' };

export const signInDocs = {
  signIn: docs({
    summary: 'Sign in',
    note: 'The session is a cookie, `HttpOnly` and `SameSite=Strict`. Which of the two was wrong is not told.',
    answer: meAnswer,
    example: meExample,
    answerHeaders: setsCookie,
    errors: ['wrongPassword', 'rateLimit'],
  }),
  signOut: docs({
    summary: 'Sign out: the session ends, and its cookie is cleared',
    answer: success,
    example: { result: 'success' as const },
    answerHeaders: { 'Set-Cookie': 'an empty one' },
  }),
  lookAtLink: docs({
    summary: 'See what a one-time link is for, without using it',
    answer: z
      .object({
        for: z.enum(linkPurposes).meta({
          description:
            "`first`: makes the account's first person; `invite`: another one; `reset`: a new password",
        }),
        account: z.object({ id: z.int(), name: z.string() }),
        manager: managerAnswer,
        user_name: z
          .string()
          .meta({ description: 'whose password it is for; empty where somebody is to be made' }),
        name: z.string().meta({ description: 'whom it was made for; may be empty' }),
        expires_at: z.string(),
      })
      .meta({ title: 'Link' }),
    example: {
      for: 'invite' as const,
      account: { id: 1, name: 'first' },
      manager: { id: 3, username: 'anna' },
      user_name: '',
      name: 'Anna',
      expires_at: '2026-05-08 19:30:00',
    },
    errors: ['noLink'],
  }),
  useLink: docs({
    summary: 'Use a one-time link: makes a person or a new password, and signs in',
    note: "To make a person, `user_name` must be given; for a new password neither it nor `name` is read. An account's first person finds a channel made where there was none. A new password ends all other sessions.",
    answer: meAnswer,
    example: meExample,
    answerHeaders: setsCookie,
    errors: ['noLink', 'noPermission', 'rateLimit'],
  }),
};
