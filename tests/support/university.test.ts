import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { findClassFieldsError } from '#contract/class-fields.ts';
import { findAddressError } from '#contract/email-address.ts';
import { limits } from '#contract/limits.ts';
import { findPersonaNameError, tidyPersonaName } from '#contract/persona.ts';
import { isBlank, isPlainLine, isPlainText } from '#contract/text.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { toPersonaNameKey } from '#server/chat/members/persona-name-key.ts';
import { isReserved } from '#server/chat/members/reserved-names.ts';
import { createRandom } from './random.ts';
import { addressVariety } from './university/addresses.ts';
import { namesByScript, personaNames, rejectedPersonaNames } from './university/names.ts';
import { createPicture, pictureKindCount } from './university/pictures.ts';
import { clockChanges, createUniversity, university } from './university.ts';

const thousand = Array.from({ length: 1000 }, (_, n) => n);
const addresses = thousand.map((n) => `${university.createPerson(n).localPart}@university.edu`);

test('a thousand people have a thousand mailboxes that sign-up accepts', () => {
  const key = createSecretKey(Buffer.alloc(32, 7));
  const { toKey } = createMailboxes(
    { tags: 'ignored', dots: 'ignored', domainAliases: new Map() },
    key,
  );

  const rejectedAddresses = addresses.filter((email) =>
    findAddressError(email, ['university.edu']),
  );

  expect(rejectedAddresses).toEqual([]);
  expect(new Set(addresses.map(toKey)).size).toBe(1000);
  expect(Math.max(...addresses.map((email) => email.length))).toBeLessThan(limits.email);
});

test('the addresses have every character that sign-up accepts, at each place', () => {
  const localParts = addresses.map((email) => email.slice(0, email.lastIndexOf('@')));
  const printable = Array.from({ length: 0x7f - 0x21 }, (_, i) => String.fromCharCode(0x21 + i));
  const signs = printable.filter((sign) => !/[a-z0-9]/i.test(sign));
  const isAccepted = (localPart: string) =>
    findAddressError(`${localPart}@university.edu`, ['university.edu']) === null;

  const missing = [
    ...signs.filter((s) => isAccepted(`${s}a`) && !localParts.some((part) => part.startsWith(s))),
    ...signs.filter((s) => isAccepted(`a${s}`) && !localParts.some((part) => part.endsWith(s))),
    ...signs.filter((s) => isAccepted(`a${s}a`) && !localParts.some((part) => part.includes(s))),
  ];

  expect(missing).toEqual([]);
  expect(addressVariety).toBeLessThan(1000);
  expect(localParts.some((part) => part.length === 1)).toBe(true);
  expect(localParts.some((part) => part.length === 64)).toBe(true);
  expect(localParts.some((part) => /^\d+$/.test(part))).toBe(true);
  expect(localParts.some((part) => /^[A-Z0-9.'_-]+$/.test(part))).toBe(true);
});

test('a class accepts every persona name of the list, and each once', () => {
  const rejectedNames = personaNames.filter((name) => findPersonaNameError(tidyPersonaName(name)));
  const reserved = personaNames.filter((name) => isReserved(tidyPersonaName(name), 'Backchannel'));
  const keys = personaNames.map((name) => toPersonaNameKey(tidyPersonaName(name)));

  expect(rejectedNames).toEqual([]);
  expect(reserved).toEqual([]);
  expect(keys.filter((key, n) => keys.indexOf(key) !== n)).toEqual([]);
  expect(Object.keys(namesByScript).length).toBeGreaterThan(20);
});

test.each(Object.entries(namesByScript))('the names in %s have a letter of it', (script, names) => {
  const letter = new RegExp(`\\p{Script=${script}}`, 'u');
  expect(names.filter((name) => !letter.test(name))).toEqual([]);
});

test('a class accepts no name of the other list', () => {
  expect(
    rejectedPersonaNames.filter((name) => !findPersonaNameError(tidyPersonaName(name))),
  ).toEqual([]);
});

test('every class can be created, and fits its fields', () => {
  for (const n of thousand) {
    const fields = university.createClassFields(n);
    const { courseName, subjectAbbreviation, courseNumber, sectionNumber } = fields;
    expect(findClassFieldsError(fields), courseName).toBeNull();
    expect(courseName.length).toBeLessThanOrEqual(limits.classField);
    for (const code of [subjectAbbreviation, courseNumber, sectionNumber]) {
      expect(code.length).toBeLessThanOrEqual(limits.classCode);
      expect(isPlainLine(code)).toBe(true);
    }
  }
});

test('every message can be sent', () => {
  for (const n of thousand) {
    const text = university.createMessageText(n);
    expect(isPlainText(text), text).toBe(true);
    expect(isBlank(text), text).toBe(false);
    expect(text.length).toBeLessThanOrEqual(limits.messageText);
  }
});

test('the pictures are small enough to send', async () => {
  for (let n = 0; n < pictureKindCount; n++) {
    const { bytes } = await createPicture(createRandom(n), n);
    expect(bytes.length).toBeLessThan(limits.imageBytes);
  }
});

test.each(clockChanges)('the clocks of $timeZone change by $hours h at $time', (change) => {
  const { timeZone, time: changeTime, hours } = change;
  const formatClock = (time: number) =>
    new Date(time).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const timeBefore = new Date(changeTime).getTime() - 1000;

  const passedMs =
    Date.parse(`${formatClock(timeBefore + 1000)}Z`) - Date.parse(`${formatClock(timeBefore)}Z`);

  expect(passedMs).toBe(1000 + hours * 3_600_000);
});

test('the same seed gives the same university, and another seed another one', () => {
  const twin = createUniversity('university');
  const other = createUniversity(7);
  const list = (from: typeof twin) =>
    thousand.map((n) => [
      from.createPerson(n),
      from.createClassFields(n),
      from.createMessageText(n),
    ]);

  expect(list(twin)).toEqual(list(university));
  expect(list(other)).not.toEqual(list(university));
});
