// Names that would be believed: of whoever is in charge of the class, of the university or of the app.
import { personaNameKey } from './persona-name-key.ts';

/** Wherever they stand as a word of their own: 'Prof. Smith', 'The Admin', 'Moderator 2'. */
const asWord = [
  ...['admin', 'administrator', 'administration', 'moderator', 'mod', 'owner', 'operator', 'root'],
  ...['system', 'server', 'support', 'helpdesk', 'security', 'official', 'staff', 'bot'],
  ...['professor', 'prof', 'dr', 'instructor', 'lecturer', 'teacher', 'tutor', 'dean', 'faculty'],
  ...['assistant', 'registrar', 'university', 'deleted', 'removed'],
];
/** As all there is, however spaced and dotted. */
const whole = [
  'ta',
  'everybody',
  'everyone',
  'somebody',
  'nobody',
  'you',
  'me',
  'null',
  'undefined',
];

const words = keysOf(asWord);
const wholes = keysOf([...asWord, ...whole]);

/** @param appName the name that this app goes by here, which is nobody's either */
export function isReserved(name: string, appName: string): boolean {
  const key = personaNameKey(name);
  const app = personaNameKey(appName);
  if (wholes.has(key) || wholes.has(withoutNumber(name)) || key.includes(app)) return true;
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => words.has(withoutNumber(word)));
}

function withoutNumber(word: string): string {
  return personaNameKey(word.replace(/[\p{N}\s]+$/u, ''));
}

function keysOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(personaNameKey));
}
