// The part of an email address before the @, in every form that sign-up accepts.
import { findAddressError } from '#contract/email-address.ts';
import type { Random } from '#tests/support/random.ts';

const domain = 'university.edu';
const maxLocalPart = 64;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const printable = Array.from({ length: 0x7f - 0x21 }, (_, i) => String.fromCharCode(0x21 + i));

function isAllowed(localPart: string): boolean {
  return findAddressError(`${localPart}@${domain}`, [domain]) === null;
}

const isSign = (character: string) => !/[a-z0-9]/i.test(character);
/** The signs that the contract accepts at each position. */
const signs = {
  first: printable.filter((sign) => isSign(sign) && isAllowed(`${sign}a`)),
  middle: printable.filter((sign) => isSign(sign) && isAllowed(`a${sign}a`)),
  last: printable.filter((sign) => isSign(sign) && isAllowed(`a${sign}`)),
};

const givenNames = [
  'mary-ann',
  'jose',
  'wei',
  'oluwaseun',
  'anna-lena',
  'bjorn',
  'xochitl',
  'd',
  'zoe',
];
const familyNames = [
  "o'neil",
  "d'angelo",
  'smith',
  'garcia-lopez',
  'nguyen',
  'van_der_berg',
  'li',
  'mbeki',
];

interface Names {
  given: string;
  family: string;
  /** Differs for each person of the same kind. */
  number: number;
}

/** Each kind creates a different address for each number. */
const kinds: readonly ((names: Names) => string)[] = [
  ({ given, family, number }) => `${given}.${family}${number}`,
  ({ given, family, number }) => `${given}_${family}${number}-x`,
  ({ given, number }) => `${given}'s${number}`,
  ({ number }) => String(20_240_000 + number),
  ({ given, family, number }) => `${given}.${family}.t${number}+cs-146`,
  ({ given, family, number }) => `${given}.${family}.A${number}`.toUpperCase(),
  ({ number }) => toLetters(number),
  ({ given, family, number }) =>
    `${given}.${family}.${toLetters(number)}`
      .replace(/[-']/g, '')
      .padEnd(maxLocalPart, 'maximilian'),
  ({ given, number }) => `${given.replace(/\W/g, '').split('').join('.')}.${number}`,
  ({ given, number }) => `McX${given.replace(/\W/g, '')}${number}`,
  ({ given, number }) => `${pickInTurn(signs.first, number)}${given}f${number}`,
  ({ given, number }) => `${given}m${number}${pickInTurn(signs.middle, number)}x`,
  ({ given, number }) => `${given}l${number}${pickInTurn(signs.last, number)}`,
  ({ number }) => `s${number}${signs.middle.map((sign) => `${sign}x`).join('')}`,
];

/** @param n the person's number: another number has another address */
export function createLocalPart(random: Random, n: number): string {
  const kind = kinds[n % kinds.length]!;
  return kind({
    given: random.pick(givenNames),
    family: random.pick(familyNames),
    number: Math.floor(n / kinds.length),
  });
}

function pickInTurn(items: readonly string[], number: number): string {
  return items[number % items.length]!;
}

/** a, b, … z, aa, ab, …: different for each number. */
function toLetters(number: number): string {
  const rest = Math.floor(number / alphabet.length);
  const letter = alphabet[number % alphabet.length]!;
  return rest === 0 ? letter : toLetters(rest - 1) + letter;
}
