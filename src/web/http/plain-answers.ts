// Answers outside the interface over HTTP: pages, probes and their like, by GET; a page's form by POST.
import { holds } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { isFormType, readFormBody } from '../../base/api/form-body.ts';
import type { PlainAnswer, PlainCall, PlainHandler } from '../../base/api/plain-answer.ts';
import type { Bearers } from '../../library/access/bearers.ts';
import { type Asker, isOfThisMachine, peerOf, queryParamsOf } from './asker.ts';
import { type Border, lacks, notAllowed } from './border.ts';
import type { BunHandlers, BunServer } from './bun-handler.ts';
import type { BytesWatch } from './bytes-watch.ts';
import type { HttpBounds } from './http-limits.ts';

export interface PlainAnswersOptions {
  /** By path: `/livez`, `/watch/:id` and the like. */
  plain: Record<string, PlainHandler>;
  border: Border;
  bearers: Bearers;
  asker: Asker;
  bytes: Pick<BytesWatch, 'bodyRead'>;
  bounds: Pick<HttpBounds, 'bodyMs'>;
}

export function plainHandlers(options: PlainAnswersOptions): BunHandlers {
  const table: BunHandlers = {};
  for (const [path, handle] of Object.entries(options.plain))
    table[path] = (request, server) => {
      const { refuse, submit } = handle;
      const call = () => plainCall(options, request, server);
      return options.border.answer(request, server, {
        operation: path,
        make: () => {
          if (request.method === 'POST' && submit)
            return submitted(options, request, (fields) => submit(call(), fields));
          if (request.method !== 'GET' && request.method !== 'HEAD')
            throw notAllowed(submit ? ['GET', 'POST'] : ['GET']);
          return handle(call());
        },
        ...(refuse && { refuse: (error) => refuse(call(), error) }),
      });
    };
  return table;
}

/** As a browser sends it: a script of another site would have to ask before it sends anything else. */
async function submitted(
  { bounds, bytes }: PlainAnswersOptions,
  request: Request,
  answer: (fields: Record<string, unknown>) => Promise<PlainAnswer>,
): Promise<PlainAnswer> {
  if (!isFormType(request.headers.get('content-type'))) throw new ApiError('invalid');
  const read = (count: number) => bytes.bodyRead(request, count);
  return await answer(await readFormBody(request, bounds.bodyMs, read));
}

function plainCall(
  { asker, bearers }: PlainAnswersOptions,
  request: Bun.BunRequest,
  server: BunServer,
): PlainCall {
  const { headers } = request;
  const peer = peerOf(request, server);
  const address = asker.addressOf(request, peer);
  return {
    params: request.params,
    get query() {
      return queryParamsOf(request);
    },
    header: (name) => headers.get(name),
    address,
    baseUrl: asker.baseUrl(request),
    isLocal: isOfThisMachine(peer, (name) => headers.get(name)),
    authorize: async (scope) => {
      const { scopes } = await bearers.find(headers.get('authorization'), {
        version: undefined,
        address: () => address,
      });
      if (!holds(scopes, scope)) throw lacks(scope);
    },
  };
}
