// That a publish key was changed or a channel deleted, told to every node: each looks at once whether that is one of its own.
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';

/** The database says which: who looks finds all that it has missed, too. */
const keys = linkTopic('keys', { message: jsonCodec(() => null) });

/** What is to be called when a key of a channel has changed, or a channel is no more. */
export function joinKeyNews({ links, look }: { links: Talking; look(): void }): () => void {
  links.join(keys, { received: look, opened: look, gap: look });
  return () => {
    look();
    links.sendAll(keys, null);
  };
}
