// How much a peer may send: a small budget before it publishes or plays, then so many messages a second.
import { Allowance } from '../../base/peers/allowance.ts';
import { Rejection, rejected } from './rtmp-command.ts';
import type { RtmpLimits } from './rtmp-limits.ts';
import type { Activity } from './rtmp-session.ts';

type IntakeLimits = Pick<
  RtmpLimits,
  'strangerMessagesMax' | 'strangerBytesMax' | 'playerMessages' | 'publisherMessages'
>;

interface IntakeOptions {
  limits: IntakeLimits;
  /** Time that only passes. */
  monotonicMs: () => number;
}

/** The clock is looked at once in so many: a look costs as much as a small message. */
const messagesPerLook = 64;
export class Intake {
  private readonly options: IntakeOptions;

  private activity: Activity = 'none';
  private allowance: Allowance | undefined;
  /** It has sent media since it began to publish. */
  private hasMedia = false;
  private uncounted = 0;
  private strangerMessages = 0;
  private strangerBytes = 0;
  /** Where its budget was looked at last. */
  private readBytes = 0;

  constructor(options: IntakeOptions) {
    this.options = options;
  }

  /**
   * What the peer does from now on. As a stranger again it has what was left; after a push that sent media it begins
   * anew, and how often a channel may begin a push bounds that.
   */
  begin(activity: Activity, readBytes: number): void {
    const { playerMessages, publisherMessages } = this.options.limits;
    if (this.activity === 'none') this.strangerBytes += readBytes - this.readBytes;
    if (activity === 'none' && this.hasMedia) {
      this.strangerMessages = 0;
      this.strangerBytes = 0;
    }
    this.hasMedia = false;
    this.readBytes = readBytes;
    this.activity = activity;
    this.allowance =
      activity === 'none'
        ? undefined
        : new Allowance(activity === 'playing' ? playerMessages : publisherMessages);
  }

  /** Counts a message, which weighs as much as so many small ones; false where it is one too many. */
  take(weight: number, isMedia: boolean): boolean {
    if (!this.allowance) return ++this.strangerMessages <= this.options.limits.strangerMessagesMax;
    if (!this.hasMedia) this.hasMedia = this.activity === 'publishing' && isMedia;
    this.uncounted += weight;
    if (this.uncounted < messagesPerLook) return true;
    const count = this.uncounted;
    this.uncounted = 0;
    return this.allowance.take(this.options.monotonicMs(), count);
  }

  /** Whether a stranger, of whom alone it is asked, has sent more bytes than it may, in whole messages or not. */
  isTooLong(readBytes: number): boolean {
    return this.strangerBytes + readBytes - this.readBytes > this.options.limits.strangerBytesMax;
  }

  /** It sends more than its kind does; an encoder can show why. */
  rejection(streamId: number): Rejection {
    const { activity } = this;
    const { everyMs } = this.options.limits.publisherMessages;
    if (activity === 'publishing') {
      const sentence = `The encoder sends more than ${Math.round(1_000 / everyMs)} messages a second`;
      return rejected(streamId, sentence, 'messages');
    }
    const code = 'NetConnection.Connect.Closed';
    const description =
      activity === 'none' ? 'Too much came before publish or play' : 'A player says less than this';
    const refusal = activity === 'none' ? 'stranger' : 'messages';
    return new Rejection({ streamId, code, description, refusal });
  }
}
