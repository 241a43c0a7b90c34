// What `/openapi.json` says of an account's tokens.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { managerAnswer, success } from '../people/person.ts';

const tokenFields = {
  id: z.int(),
  name: z.string().meta({ description: 'what it is for; may be empty' }),
  scopes: z.array(z.string()).meta({ description: 'what it may do' }),
  manager: managerAnswer,
  created_at: z.string(),
  expires_at: z
    .string()
    .meta({ description: 'when it ends, or has ended; empty where it does not' }),
  last_used_at: z
    .string()
    .meta({ description: 'to some minutes; empty where it was not used since this is noted' }),
};

const tokenAnswer = z.object(tokenFields).meta({ title: 'Token' });

const tokenExample = {
  id: 4,
  name: 'the shop',
  scopes: ['channels:read', 'audience:read'],
  manager: null,
  created_at: '2026-04-02 09:00:41',
  expires_at: '',
  last_used_at: '2026-05-01 19:29:08',
};

export const tokenDocs = {
  listTokens: docs({
    summary: "List the account's tokens that are not revoked, the newest first",
    answer: z.object({ tokens: z.array(tokenAnswer) }),
    example: { tokens: [tokenExample] },
  }),
  createToken: docs({
    summary: 'Make a token',
    note: "A manager's token cannot hold `manage`.",
    answer: z
      .object({
        token: z.string().meta({ description: 'the token itself: it is shown this once' }),
        ...tokenFields,
      })
      .meta({ title: 'MadeToken' }),
    example: {
      token: 'footlight_2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u0a1B2c',
      ...tokenExample,
      last_used_at: '',
    },
    errors: ['noUser', 'noPermission'],
  }),
  changeToken: docs({
    summary: 'Name a token, or let it do less from its next request on',
    note: 'What it may do can only become less: for more, make another.',
    answer: tokenAnswer,
    example: tokenExample,
  }),
  revokeToken: docs({
    summary: 'Revoke a token; refused from its next request on',
    answer: success,
    example: { result: 'success' as const },
  }),
};
