// Follows a service's events as a program would: reads the stream by the standard's rules, and comes back with its last id.
import { patience } from './machine-pace.ts';
import type { Json } from './service.ts';

export interface FollowedMessage {
  /** The last id that was said when it came. */
  id: string;
  event: string;
  data: Json;
}

export interface FollowerOptions {
  url: string;
  headers: Record<string, string>;
  /** `types=…&channel=…` */
  query?: string;
  lastEventId?: string;
}

const waitMs = 30_000;

export class EventFollower {
  readonly messages: FollowedMessage[] = [];
  /** As a browser would send it when it comes back. */
  lastEventId: string;
  /** How often a comment came. */
  comments = 0;
  /** Resolves when the stream is over, with how. */
  readonly over: Promise<'ended' | 'broken off' | 'left'>;
  private readonly leaving = new AbortController();
  private readonly looks = new Set<() => void>();
  private isOver = false;

  /** Resolves when the answer has begun; rejects with its status and text where it is a refusal. */
  static async open(options: FollowerOptions): Promise<EventFollower> {
    const { url, headers, query = '', lastEventId } = options;
    const leaving = new AbortController();
    const late = setTimeout(
      () => leaving.abort(new Error('the answer did not begin')),
      patience(waitMs),
    );
    const response = await fetch(`${url}/manage/v1/events?${query}`, {
      headers: { ...headers, ...(lastEventId && { 'last-event-id': lastEventId }) },
      signal: leaving.signal,
    }).finally(() => clearTimeout(late));
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const follower = new EventFollower(response, leaving, lastEventId ?? '');
    await follower.until(() => follower.comments > 0);
    return follower;
  }

  private constructor(response: Response, leaving: AbortController, lastEventId: string) {
    this.lastEventId = lastEventId;
    this.leaving = leaving;
    this.over = this.read(response).finally(() => {
      this.isOver = true;
      for (const look of this.looks) look();
    });
  }

  /** The first message that has not been taken yet and is as wanted. */
  async next(isWanted: (message: FollowedMessage) => boolean): Promise<FollowedMessage> {
    let found: FollowedMessage | undefined;
    await this.until(() => {
      const at = this.messages.findIndex(isWanted);
      if (at >= 0) [found] = this.messages.splice(at, 1);
      return found !== undefined;
    });
    return found as FollowedMessage;
  }

  /** Resolves when it holds, looked at whenever something has come. */
  async until(holds: () => boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    const late = setTimeout(
      () => done.reject(new Error(`it did not come: ${JSON.stringify(this.messages)}`)),
      patience(waitMs),
    );
    const look = () => {
      if (holds()) done.resolve();
      else if (this.isOver) done.reject(new Error('the stream is over'));
    };
    this.looks.add(look);
    look();
    await done.promise.finally(() => {
      clearTimeout(late);
      this.looks.delete(look);
    });
  }

  async leave(): Promise<void> {
    this.leaving.abort();
    await this.over;
  }

  private async read(response: Response): Promise<'ended' | 'broken off' | 'left'> {
    const decoder = new TextDecoder();
    let text = '';
    let message = { id: this.lastEventId, event: '', data: '' };
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          if (line === '') {
            this.dispatch(message);
            message = { id: message.id, event: '', data: '' };
          } else if (line.startsWith(':')) this.comments += 1;
          else if (line.startsWith('id: ')) message.id = line.slice(4);
          else if (line.startsWith('event: ')) message.event = line.slice(7);
          else if (line.startsWith('data: ')) message.data += line.slice(6);
        }
        for (const look of this.looks) look();
      }
      return 'ended';
    } catch {
      return this.leaving.signal.aborted ? 'left' : 'broken off';
    }
  }

  /** An id counts when its message is whole: one that was cut comes again. */
  private dispatch({ id, event, data }: { id: string; event: string; data: string }): void {
    this.lastEventId = id;
    if (data !== '') this.messages.push({ id, event, data: JSON.parse(data) });
  }
}
