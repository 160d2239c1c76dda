// Finds details that identify the writer, before a message is sent. This runs in the browser only: neither the text nor
// the result leaves the device.

import { getText } from '#web/get-text.ts';

type PersonalDetail =
  | 'your email address'
  | 'your name'
  | 'an email address'
  | 'a phone number'
  | 'a student number';

export const warnings: Readonly<Record<PersonalDetail, string>> = {
  'your email address': getText('chat.personal.ownEmail'),
  'your name': getText('chat.personal.ownName'),
  'an email address': getText('chat.personal.email'),
  'a phone number': getText('chat.personal.phone'),
  'a student number': getText('chat.personal.studentNumber'),
};

const emailPattern = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?![\w-])/i;
/**
 * An international number, or groups as phone numbers are written: (555) 123-4567, 555-123-4567, 06 12 34 56
 * 78, 0171 2345678.
 */
const phonePatterns = [
  /(?<![\w+.,:/-])(?:\+|00)[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,11}(?![\w/:]|[.,-]\d)/,
  /(?<![\w+.,:/-])(?:1[ .-])?\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}(?![\w/:]|[.,-]\d)/,
  /(?<![\w+.,:/-])(?:1[ .-])?[2-9]\d{2}([ .-])\d{3}\1\d{4}(?![\w/:]|[.,-]\d)/,
  /(?<![\w+.,:/-])0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}(?![\w/:]|[ .,-]\d)/,
  /(?<![\w+.,:/-])0\d{2,4}[ /-]\d{5,8}(?![\w/:]|[.,-]\d)/,
];
/** A group of 7 to 10 digits that stands alone, as prices, years and dates do not. */
const studentNumberPattern =
  /(?<![=<>≈] |\b(?:USD|EUR|GBP|CHF) |[\w.,:/#$€£¥=+*^<>%&|()[\]{}~-])[A-Za-z]?\d{7,10}(?![\w/:%€£¥=+*^<>()[\]{}-]|[.,]\d| ?(?:[*/+=<>^-]|(?:bytes?|bits?|ms|people|rows?|users?|dollars?|euros?|steps?|times|iterations|operations|elements|items|km|Hz)\b))/;
const datePattern = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

/** @param email the writer's own address, or an empty text */
export function findPersonalDetail(message: string, email: string): PersonalDetail | null {
  const text = removeCode(message);
  const lowerText = text.toLowerCase();
  const ownAddress = email.toLowerCase();
  if (ownAddress !== '' && lowerText.includes(ownAddress)) return 'your email address';
  // Checked before the name, because another person's address can contain the writer's name.
  const prose = text.replaceAll(linkPattern, ' ');
  if (emailPattern.test(prose)) return 'an email address';
  if (ownAddress !== '' && hasOwnName(prose, ownAddress)) return 'your name';
  const studentNumber = studentNumberPattern.exec(prose)?.[0];
  if (phonePatterns.some((pattern) => pattern.test(prose))) return 'a phone number';
  if (studentNumber !== undefined && !datePattern.test(studentNumber)) return 'a student number';
  return null;
}

const linkPattern = /(?:https?:\/\/|www\.)\S+/gi;

/** Removes code and formulas, in which numbers and names have other meanings. */
function removeCode(text: string): string {
  return text
    .replaceAll(/^ {0,3}(`{3,})[^`]*$[\s\S]*?(?:\1|(?![\s\S]))/gm, ' ')
    .replaceAll(/`[^`\n]+`/g, ' ')
    .replaceAll(/\$\$[^$]+\$\$|\\\([^]+?\\\)|\\\[[^]+?\\\]/g, ' ')
    .replaceAll(/\\begin\{(\w+\*?)\}[^]*?\\end\{\1\}/g, ' ')
    .replaceAll(/\$(?!\s)[^$\n]+(?<!\s)\$/g, ' ');
}

/**
 * Whether the text has the address's local part (before the `@`) or a name from it: 'mary-ann.smith2' gives
 * 'Mary-Ann Smith', 'Mary Smith' and 'Smith, Mary'. Compares strings, because an address has characters that mean
 * something in a regular expression.
 */
function hasOwnName(prose: string, email: string): boolean {
  const localPart = email.slice(0, email.indexOf('@')).replace(/\+.*$/, '');
  const text = normalizeName(prose);
  // A middle initial does not hide a name.
  const withoutInitials = text.replaceAll(/ \p{L}\.?(?= )/gu, '');
  return listNames(localPart).some(
    (name) => hasWords(text, name) || hasWords(withoutInitials, name),
  );
}

function listNames(localPart: string): string[] {
  const names: string[] = [];
  if (/[\d._-]/.test(localPart) && normalizeName(localPart).length >= 5) names.push(localPart);
  const parts = localPart.split(/[._-]/).map((part) => part.replaceAll(/\d/g, ''));
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length >= 2 && first.length >= 2 && last.length >= 2) {
    const firstNames = parts.slice(0, -1).join(' ');
    for (const givenName of [first, firstNames]) {
      names.push(`${givenName} ${last}`, `${last} ${givenName}`, `${last}, ${givenName}`);
    }
  }
  return names.map(normalizeName);
}

/** Writes equal names equally: case, apostrophes, hyphens and spaces do not matter. */
function normalizeName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[\s-]+/g, ' ')
    .trim();
}

/** Whether the words are in the text, and not as a part of longer words. */
function hasWords(text: string, words: string): boolean {
  let start = text.indexOf(words);
  while (start >= 0) {
    const end = start + words.length;
    // Two code units, because some letters have two.
    const textBefore = text.slice(Math.max(0, start - 2), start);
    const textAfter = text.slice(end, end + 2);
    if (!/[\p{L}\p{N}]$/u.test(textBefore) && !/^[\p{L}\p{N}]/u.test(textAfter)) return true;
    start = text.indexOf(words, start + 1);
  }
  return false;
}
