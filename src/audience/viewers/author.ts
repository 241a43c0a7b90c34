// The author of a chat line as other viewers see it: it stands for a viewer and does not tell the viewer id.
import { signatureOf } from '../../base/lib/signed-text.ts';

/** The same in all of a channel, and another in the next channel. */
export type AuthorOf = (channel_id: number, viewer_id: string) => string;

const authorCharacters = 10;

/** Without the secret no way leads from an author to a viewer id. */
export function authorsSignedWith(secret: string): AuthorOf {
  return (channel_id, viewer_id) =>
    signatureOf(secret, `author.${channel_id}.${viewer_id}`, 'base64url').slice(
      0,
      authorCharacters,
    );
}
