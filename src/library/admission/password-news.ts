// Which passwords are right, told to every node: who knows one waits behind nobody who guesses, wherever it was set.
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';
import type { Doorkeeper, RightPassword } from './doorkeeper.ts';

const rightPassword = linkTopic('right_password', { message: jsonCodec(readRight) });

/** What is to be called of each that was right here, or was set. */
export function joinPasswordNews(given: {
  links: Pick<Talking, 'join' | 'send' | 'sendAll'>;
  doorkeeper: Pick<Doorkeeper, 'learn' | 'known'>;
}): (right: RightPassword) => void {
  const { links, doorkeeper } = given;
  const tellAll = (node: string) => {
    for (const right of doorkeeper.known) links.send(rightPassword, node, right);
  };
  links.join(rightPassword, {
    received: (_node, right) => doorkeeper.learn(right),
    // One that was started anew knows none; and what was lost is not known.
    opened: tellAll,
    gap: tellAll,
  });
  return (right) => links.sendAll(rightPassword, right);
}

function readRight(value: unknown): RightPassword {
  const { hash, digest } = (value ?? {}) as RightPassword;
  if (typeof hash !== 'string' || typeof digest !== 'string')
    throw new Error('this says no right password');
  return { hash, digest };
}
