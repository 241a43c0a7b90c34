// `/openapi.json` judged by the linter people use.
import { afterAll, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { engines } from './support/engines.ts';
import { startTestService } from './support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('no engine');
const service = await startTestService(sqlite, {
  settings: { PUBLIC_URL: 'https://live.footlight.test' },
});
afterAll(() => service.stop());

test('the recommended rules find nothing, not even a warning', async () => {
  const source = (await service.call('GET', '/openapi.json', { token: null })).text;
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});
