// The rules for a persona's name and icon. Only the server can check whether a name is free.
import { limits } from './limits.ts';
import { defaultName } from './default-name.ts';
import { toPersonaFigure, toPersonaIcon } from './persona-figure.ts';
import { isBlank } from './text.ts';

/** Letters and digits of any script, and a few signs. */
const nameText = /^[\p{L}\p{M}\p{N} .,'’\-_!?&#+]+$/u;
const invisible = /\p{Default_Ignorable_Code_Point}/u;
/** Combining marks that stack over neighboring lines or enclose a character. */
const pile = /\p{Mn}{4}|\p{Me}/u;

/** A virama, which drops the vowel of the consonant before it, in the scripts that are spelled with joiners. */
const virama = '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]';
const cursiveLetter =
  '(?=\\p{L})[\\p{Script=Adlam}\\p{Script=Arabic}\\p{Script=Mongolian}\\p{Script=Nko}\\p{Script=Syriac}]';
/**
 * The zero-width joiners and non-joiners that the spelling of a word needs: the CONTEXTJ rules of IDNA (RFC 5892), and
 * the joiner between the Bengali or Kannada letter ra and a virama.
 */
const joinersInWord = new RegExp(
  `(?<=${virama})[\\u200c\\u200d]|\\u200d(?=${virama})|(?<=${cursiveLetter}\\p{M}*)\\u200c(?=${cursiveLetter})`,
  'gu',
);

/** Returns the stored form: NFKC, trimmed, and each run of white space as one space. */
export function tidyPersonaName(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '');
}

type NameErrorCode = 'NAME_EMPTY' | 'NAME_TOO_LONG' | 'NAME_CHARACTERS';

/** Returns the first rule that a tidied name breaks (PERSONA-12, PERSONA-28), or null. */
export function findPersonaNameError(name: string): NameErrorCode | null {
  if (name === defaultName) return null;
  if (isBlank(name)) return 'NAME_EMPTY';
  if (name.length > limits.personaName) return 'NAME_TOO_LONG';
  const visible = name.replace(joinersInWord, '');
  const isReadable = nameText.test(visible) && !invisible.test(visible) && !pile.test(visible);
  return isReadable && /[\p{L}\p{N}]/u.test(visible) ? null : 'NAME_CHARACTERS';
}

export function isMemberIcon(memberId: string, icon: string): boolean {
  const n = icon === memberId ? 0 : Number(icon.slice(memberId.length + 1));
  return (
    Number.isInteger(n) && n >= 0 && n < limits.personaIcons && icon === toPersonaIcon(memberId, n)
  );
}

/** Finds the member's first icon whose shape and hue none of the other icons has. */
export function findFreeIcon(memberId: string, otherIcons: readonly string[]): string | undefined {
  const takenFigures = new Set(otherIcons.map(toPersonaFigure));
  for (let n = 0; n < limits.personaIcons; n++) {
    const icon = toPersonaIcon(memberId, n);
    if (!takenFigures.has(toPersonaFigure(icon))) return icon;
  }
  return undefined;
}
