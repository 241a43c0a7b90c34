// Media over HTTP, past the ceremony of the border: no log line for each, as a viewer asks ten times a second.
import {
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  otherMethod,
  textAnswer,
} from '../../base/api/media-answer.ts';
import { rawParameter } from '../../base/api/request.ts';
import type { Metrics } from '../../base/lib/metrics.ts';
import { type Asker, peerOf } from './asker.ts';
import { type Border, knownError, unreadMessage } from './border.ts';
import type { BunHandlers, BunServer } from './bun-handler.ts';
import type { UntakenAnswers } from './untaken-answers.ts';

export interface MediaAnswersOptions {
  /** By path. */
  media: Record<string, MediaHandler>;
  border: Pick<Border, 'hostError' | 'busyAnswer' | 'failures'>;
  untaken: UntakenAnswers;
  isDraining(server: BunServer): boolean;
  asker: Asker;
  metrics: Metrics;
}

export function mediaHandlers(options: MediaAnswersOptions): BunHandlers {
  const answers = new MediaAnswers(options);
  const table: BunHandlers = {};
  for (const [path, handle] of Object.entries(options.media))
    table[path] = (request, server) =>
      answers.answer({ request, server, path }, () => handle(answers.call(request, server)));
  return table;
}

class MediaAnswers {
  private readonly options: MediaAnswersOptions;

  private readonly sharedHeaders = new WeakMap<object, Headers>();

  constructor(options: MediaAnswersOptions) {
    this.options = options;
  }

  answer(
    { request, server, path }: { request: Request; server: BunServer; path: string },
    make: () => Promise<MediaAnswer> | MediaAnswer,
  ): Promise<Response> | Response {
    const startedAt = performance.now();
    const sent = (answer: MediaAnswer) => {
      const { status, headers } = answer;
      const { metrics, untaken, border } = this.options;
      const body = untaken.bounded(request, server, answer.body);
      if (body === 'refused')
        return border.busyAnswer(request, { form: 'media', message: unreadMessage });
      metrics.count(path, status, performance.now() - startedAt);
      return new Response(body, { status, headers: this.headers(headers, server) });
    };
    const failed = (error: unknown) => sent(this.failure(path, error));
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    try {
      const made = isRead ? make() : otherMethod(request.method);
      return made instanceof Promise ? made.then(sent, failed) : sent(made);
    } catch (error) {
      return failed(error);
    }
  }

  /** Nobody asks for the address of most: to look for it costs more than to answer. */
  call(request: Bun.BunRequest, server: BunServer): MediaCall {
    const { asker, border } = this.options;
    const addressOf = () => asker.addressOf(request, peerOf(request, server));
    return {
      params: request.params,
      query: (name) => rawParameter(request.url, name),
      header: (name) => {
        // A part needs no header, and to read the first one costs a tenth of its answer; no word of media depends on the host.
        if (!asker.hasHost(request)) throw border.hostError(request, server);
        return request.headers.get(name);
      },
      get address() {
        return addressOf();
      },
    };
  }

  /** To read the same three lines for every part costs more than to find the part. */
  private headers(
    headers: MediaAnswer['headers'],
    server: BunServer,
  ): Headers | Record<string, string> {
    if (this.options.isDraining(server)) return { ...headers, connection: 'close' };
    if (!Object.isFrozen(headers)) return headers;
    const known = this.sharedHeaders.get(headers) ?? new Headers(headers);
    this.sharedHeaders.set(headers, known);
    return known;
  }

  private failure(path: string, error: unknown): MediaAnswer {
    const known = knownError(error);
    this.options.border.failures.note(known, { operation: path });
    return textAnswer(known.status, known.message, known.headers);
  }
}
