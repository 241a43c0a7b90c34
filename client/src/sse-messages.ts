// Server-sent events, read from the lines of an answer (the HTML standard, 9.2.6).

export interface SseMessage {
  /** `message` where none is named. */
  event: string;
  /** Undefined of a message that only says where its reader is. */
  data: string | undefined;
  /** Of the last message that had one. */
  lastEventId: string | undefined;
  /** Milliseconds, where the stream has said how long to wait before coming back. */
  retryMs: number | undefined;
}

/** Of one event; the service's are some KB. */
const dataCharactersMax = 4_194_304;

/** Also those without data, so that whoever reads them knows how far they are. What is cut at the end is left out. */
export async function* sseMessages(
  lines: AsyncIterable<string>,
): AsyncGenerator<SseMessage, void, undefined> {
  let event = '';
  let data: string | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  for await (const line of lines) {
    if (line === '') {
      yield { event: event || 'message', data, lastEventId, retryMs };
      event = '';
      data = undefined;
      continue;
    }
    const at = line.indexOf(':');
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    if (name === 'id' && !value.includes('\0')) lastEventId = value;
    if (name === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
    if (data && data.length > dataCharactersMax) throw new Error('An event has no end');
  }
}
