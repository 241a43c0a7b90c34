// Pictures of streams, asked at any node: made by the one that has the stream, in the turn of its account there.
import { ApiError } from '../../base/api/errors.ts';
import { jsonCodec, type LinkCodec, linkTopic } from '../../base/links/link-topic.ts';
import { doneOr, outcomeCodec, outcomeOf } from '../../base/links/outcome.ts';
import { type HeldChannel, type PushHolders, readChannelId } from '../live/push-holders.ts';
import { pictureLimits } from './picture-limits.ts';
import type { Jpeg, StreamPictures } from './stream-pictures.ts';

/** What is read is kept until the answer has gone. */
const jpegCodec: LinkCodec<Jpeg> = {
  write: (jpeg) => jpeg,
  read: (bytes) => new Uint8Array(bytes),
};

const picture = linkTopic('picture', {
  question: jsonCodec(readChannelId),
  answer: outcomeCodec(jpegCodec),
});

/** Of which of the channels one can be asked for. */
const pictured = linkTopic('pictured', {
  question: jsonCodec(readChannels),
  answer: jsonCodec(readChannels),
});

/** A list is shown without those whose node does not say so by then. */
const listedWithinMs = 1_000;
/** A page of the list of channels. */
const listedMax = 100;

export class SharedPictures {
  private readonly pictures: StreamPictures;
  private readonly holders: PushHolders;

  constructor(options: { pictures: StreamPictures; holders: PushHolders }) {
    const { pictures, holders } = options;
    this.pictures = pictures;
    this.holders = holders;
    const { links } = holders;
    links.join(picture, {
      asked: (_, channel_id) => outcomeOf(() => pictures.of(channel_id)),
    });
    links.join(pictured, {
      asked: (_, channel_ids) => channel_ids.filter((id) => pictures.has(id)),
    });
  }

  /** As `StreamPictures` makes them. */
  async of(channel: HeldChannel): Promise<Jpeg> {
    const { id } = channel;
    if (this.pictures.isHere(id)) return await this.pictures.of(id);
    const order = { question: id, withinMs: pictureLimits.askedWithinMs };
    const outcome = await this.holders.ask(picture, channel, order);
    if (!outcome) throw new ApiError('notOnAir');
    return doneOr(outcome);
  }

  /** Those of an account's channels of which one can be asked for. */
  async having(account_id: number, channel_ids: readonly number[]): Promise<Set<number>> {
    const here = channel_ids.filter((id) => this.pictures.has(id));
    const others = channel_ids.filter((id) => !this.pictures.isHere(id));
    const asked = { account_id, channel_ids: others };
    const elsewhere = await this.holders.askEach(pictured, asked, listedWithinMs);
    return new Set([...here, ...elsewhere.flat()]);
  }
}

function readChannels(value: unknown): number[] {
  if (!Array.isArray(value) || value.length > listedMax || !value.every(Number.isSafeInteger))
    throw new Error('these are no channels');
  return value;
}
