// User names: how two are compared.
import { visibleText } from '../../base/lib/visible-text.ts';

/**
 * Two that look alike are one: letters of any case, however they are encoded, and whatever hides between them. Folded
 * again it stays as it is; it is empty where there is nothing to be seen.
 */
export function foldedUserName(userName: string): string {
  const shown = visibleText(userName.normalize('NFKC'));
  return shown.toLowerCase().normalize('NFKC').trim();
}
