// The secret that an account signs its watch links with, beside the interface: shown, and made anew.
import { get, post } from '../../base/api/endpoint.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { viewerSecretDocs } from './viewer-secret-docs.ts';
import * as secretStore from './viewer-secret-store.ts';

interface Parts {
  store: Store;
}

export function viewerSecretRoutes(parts: Parts): AnyRoute[] {
  const handlers = { getViewerSecret, rotateViewerSecret };
  return routes({ table: viewerSecretTable, docs: viewerSecretDocs, handlers, parts });
}

/** Each is answered by the function of its name. A secret is not remembered among other answers. */
const viewerSecretTable = {
  getViewerSecret: get('/manage/v1/viewer-secret', 'manage', {
    fresh: true,
    // Whoever has it can sign any viewer.
    audit: 'taken',
  }),
  rotateViewerSecret: post('/manage/v1/viewer-secret/rotate', 'manage', { body: {} }),
};

type Handle = Handlers<typeof viewerSecretTable, typeof viewerSecretDocs, Parts>;

const getViewerSecret: Handle['getViewerSecret'] = async ({ caller }, { store }) => {
  const sql = store.for(ofAccount(caller));
  return { body: { secret: await secretStore.viewerSecretOf(sql, caller.account_id) } };
};

const rotateViewerSecret: Handle['rotateViewerSecret'] = async ({ caller }, { store }) => {
  const { account_id } = caller;
  return { body: { secret: await store.perform(secretStore.rotateViewerSecret, { account_id }) } };
};
