// What a host says, as the chat shows it: cleaned, short enough, under a name.
import { invalidField } from '../../base/api/errors.ts';
import { chatLimits } from './chat-limits.ts';
import { typedText } from './typed-text.ts';

const { chatCharactersMax, nickCharactersMax } = chatLimits;

/** Throws where nothing of it can be seen, or it is too long. Without a name it is the channel's. */
export function hostLine(
  given: { text: string; nick?: string | undefined },
  channel: { name: string },
): { text: string; nick: string } {
  const text = typedText(given.text, chatCharactersMax);
  if (text === undefined)
    throw invalidField('text', `text must be at most ${chatCharactersMax} characters`);
  if (text === '') throw invalidField('text', 'text must have something that can be seen');
  return { text, nick: shortName(given.nick ?? '') || shortName(channel.name) };
}

/** A channel's name may be longer than a nickname. */
function shortName(name: string): string {
  const seen = typedText(name, Number.POSITIVE_INFINITY) ?? '';
  return [...seen].slice(0, nickCharactersMax).join('').trimEnd();
}
