// Variables of the environment that are spelt almost like a setting, and are none.
import { settings } from '../../config.ts';
import { nearWord } from './near-words.ts';

export interface Misspelt {
  variable: string;
  /** The setting that it is most like; undefined where only its beginning says that it was meant for us. */
  meant: string | undefined;
}

/** What the guides and examples have a program's own settings in. */
const ofPrograms = ['FOOTLIGHT_TOKEN', 'FOOTLIGHT_URL'];
/** Programs have variables of all kinds: one letter makes a short name another's. */
const comparedLength = 7;
const longLength = 12;

export function misspeltSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Misspelt[] {
  const known = settings.map(({ variable }) => variable);
  return Object.keys(environment)
    .filter((variable) => !known.includes(variable) && !ofPrograms.includes(variable))
    .flatMap((variable) => {
      const bare = variable.replace(/^FOOTLIGHT_/, '');
      const meant = known.includes(bare) ? bare : nearSetting(bare, known);
      return meant !== undefined || bare !== variable ? [{ variable, meant }] : [];
    });
}

function nearSetting(variable: string, known: readonly string[]): string | undefined {
  if (variable.length < comparedLength) return undefined;
  return nearWord(variable, known, variable.length < longLength ? 1 : 2);
}
