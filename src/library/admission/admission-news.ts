// That who may watch something has changed, told to every node: each lets nobody in by what it knew.
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';

/** Of a channel; 0 where it may be any: the database says which. */
const admission = linkTopic('admission', {
  message: jsonCodec((value) => (Number.isSafeInteger(value) ? Number(value) : 0)),
});

const any = 0;

/** What is to be called when who may watch a channel, or a video of it, has changed. */
export function joinAdmissionNews(given: {
  links: Talking;
  /** 0: of any channel. */
  look(channel_id: number): void;
}): (channel_id: number) => void {
  const { links, look } = given;
  const lookAtAll = () => look(any);
  links.join(admission, {
    received: (_node, channel_id) => look(channel_id),
    opened: lookAtAll,
    gap: lookAtAll,
  });
  return (channel_id) => {
    look(channel_id);
    links.sendAll(admission, channel_id);
  };
}
