// Text as a viewer typed it, without what nobody sees.
import { visibleText } from '../../base/lib/visible-text.ts';

/** Undefined where it is too long. */
export function typedText(text: string, charactersMax: number): string | undefined {
  const clean = visibleText(text);
  // Counted as people count, so that an emoji is not several.
  return clean.length <= charactersMax || [...clean].length <= charactersMax ? clean : undefined;
}
