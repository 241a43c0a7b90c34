// Whose calls the operations are: what an account or a viewer brings about waits behind their own.
import { expect, test } from 'bun:test';
import { ofService } from './base/db/whose.ts';
import { operations } from './operations.ts';

/** Nobody asks for these over HTTP: the media river, the peers, retention, the sender of webhooks, an operator's commands. */
const ofOurOwn =
  /^(db|deletion|jobs|links|live|nodes|peers|recordings|secrets|segments|stints)\.|^pushes\.(count|lost|renew)$|^privacy\.(findOld|removeOld.*|truncateOld.*)$|^access\.(create|rename|remove|revoke|set)|^people\.consoleLink$|^reports\.(noteRemoval|tell)$|^access\.useTokens$|^(images|audit|events|webhooks)\.sweep$|^images\.look$|^uploads\.(end|held|sweep)$|^audience\.heldSessions$|^webhooks\.(look|free|now)$/;

test('an operation that callers or viewers bring about says whose it is', () => {
  const names = operations.filter(({ whose }) => whose === ofService).map(({ name }) => name);
  expect(names.filter((name) => !ofOurOwn.test(name))).toEqual([]);
  expect(names.length).toBeLessThan(operations.length - 20);
});
