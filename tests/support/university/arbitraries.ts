// The texts that property tests draw: those that a person writes, and any others.
import fc from 'fast-check';
import { university } from '#tests/support/university.ts';
import { personaNames, rejectedPersonaNames } from './names.ts';

const number = fc.nat({ max: 999 });

export const anyClassFields = number.map(university.createClassFields);

/** A name, an address, a message or a field of a class. */
export const realText = fc.oneof(
  number.map(university.createMessageText),
  number.map((n) => `${university.createPerson(n).localPart}@university.edu`),
  number.map((n) => university.createClassFields(n).courseName),
  fc.constantFrom(...personaNames, ...rejectedPersonaNames),
);

/** Any text. Its end may be in the middle of a character. */
export const anyText = fc.oneof(
  realText,
  fc.string({ unit: 'binary' }),
  realText.map((text) => `${text}\ud83e`),
  fc.tuple(realText, fc.nat({ max: 40 })).map(([text, length]) => text.slice(0, length)),
);
