// What a persona may be called, as far as the name alone says. That it is free, the server knows.
import { defaultName } from './default-name.ts';
import type { ErrorCode } from './errors.ts';
import { limits } from './limits.ts';
import { isBlank } from './text.ts';

/** Letters and digits of any script, and little else: what shows as nothing, or turns the line around, is no letter. */
const nameText = /^[\p{L}\p{M}\p{N} .,'’\-_!?&#+]+$/u;
const invisible = /\p{Default_Ignorable_Code_Point}/u;
/** Marks that pile up over the lines beside them, or ring what they stand on. */
const pile = /\p{Mn}{4}|\p{Me}/u;

/** As it is stored: composed, trimmed, each run of white space one space. */
export function tidyPersonaName(typed: string): string {
  return typed
    .normalize('NFKC')
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '');
}

/** The first rule that a tidied name breaks (SPEC.md PERSONA-11 to PERSONA-13), or null. */
export function personaNameError(name: string): ErrorCode | null {
  if (name === defaultName) return null;
  if (isBlank(name)) return 'NAME_EMPTY';
  if (name.length > limits.personaName) return 'NAME_TOO_LONG';
  const readable = nameText.test(name) && !invisible.test(name) && !pile.test(name);
  return readable && /[\p{L}\p{N}]/u.test(name) ? null : 'NAME_CHARACTERS';
}
