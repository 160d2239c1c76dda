// Looks for values that occur in two classes: they could stand for one account, whatever they mean.
import { toBytes } from './find-secrets.ts';
import type { Registrar } from './registrar.ts';
import type { StolenCopy } from './stolen-copy.ts';

const minLength = 10;

/** Columns whose values people wrote, or which say the same of many classes. */
const harmless = new Set([
  // The catalogue of the university.
  'classes.courseName',
  'classes.name',
  'classes.classSchedule',
  // Members see these words; the same words in two classes are theirs.
  'messages.text',
  'messages.poll',
  'messages.pollTally',
  'personas.anonymousName',
  'personas.nameKey',
  'classSettings.description',
  'classSettings.rules',
  'sanctions.reason',
  'cases.reason',
  'reviews.reason',
  'auditLog.reason',
  'unmaskings.reason',
  'announcements.text',
  'privateTurns.text',
  // The names of staff, whose acts have them in public.
  'sanctions.staffName',
  'auditLog.staffName',
  'cases.decidedBy',
  'reviews.decidedBy',
  'unmaskings.requestedBy',
  'unmaskings.closedBy',
  // The size of a picture, and colors that everyone in the class sees.
  'images.shape',
  // The platform of the school has many courses.
  'ltiCourses.platformId',
  // A member of two classes that were merged is named in none of them.
  'classes.mergedInto',
]);

/** A word of the code, such as the kind of a row, or a time in milliseconds. */
const isNoName = (value: string) => /^[a-z -]{1,24}$|^1\d{12}$/i.test(value);

/** @returns the columns with a value, or a part of a text, that occurs in rows of two classes: 'reports.reporter' */
export function findRepetitions(copy: StolenCopy): string[] {
  const firstClasses = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { part, classId } of listPartsOfClasses(copy)) {
    const firstClass = firstClasses.get(part);
    if (firstClass === undefined) firstClasses.set(part, classId);
    else if (firstClass !== classId) repeated.add(part);
  }
  const columns = new Set<string>();
  for (const { part, column } of listPartsOfClasses(copy)) {
    if (repeated.has(part)) columns.add(column);
  }
  return [...columns].toSorted();
}

/** The values, with their parts, of all rows that name exactly one class. */
function* listPartsOfClasses({ tables }: StolenCopy) {
  const classIds = new Set(tables.get('classes')!.map(({ values }) => String(values['classId'])));
  for (const [table, rows] of tables) {
    for (const { values } of rows) {
      const named = Object.values(values).filter((value) => classIds.has(String(value)));
      if (named.length !== 1) continue;
      for (const [name, value] of Object.entries(values)) {
        const column = `${table}.${name}`;
        if (harmless.has(column)) continue;
        for (const part of listParts(value)) {
          if (classIds.has(part) || isNoName(part)) continue;
          yield { part, column, classId: String(named[0]) };
        }
      }
    }
  }
}

/** @returns the columns with a value that a row of an account and a row of its persona share, except ids of classes */
export function findLinks({ tables }: StolenCopy, { lists, truth }: Registrar): string[] {
  const classIds = new Set([...lists.values()].flat());
  const valuesOf = new Map<string, Map<string, string>>();
  for (const [table, rows] of tables) {
    for (const { values } of rows) {
      const columns = Object.entries(values).flatMap(([column, value]) =>
        listParts(value).map((part) => [part, `${table}.${column}`] as const),
      );
      for (const [id] of columns.filter(([part]) => lists.has(part) || truth.has(part))) {
        valuesOf.set(id, new Map([...(valuesOf.get(id) ?? []), ...columns]));
      }
    }
  }
  const links = [...truth].flatMap(([memberId, accountId]) => {
    const ofPersona = valuesOf.get(memberId) ?? new Map<string, string>();
    return [...(valuesOf.get(accountId) ?? [])]
      .filter(([part]) => ofPersona.has(part) && !classIds.has(part) && !isNoName(part))
      .map(([, place]) => place);
  });
  return [...new Set(links)].toSorted();
}

/** The value, and the words in it. Of a long word also every tenth part or so, the same in equal words wherever they stand. */
function listParts(value: unknown): string[] {
  if (value === null) return [];
  const text = toBytes(value).toString('latin1').trimEnd();
  const parts = new Set([text, ...text.split(/[^\w-]+/)]);
  if (text.length > 64 && !text.includes(' ')) {
    for (let at = 0; at + minLength <= text.length; at++) {
      if ((text.charCodeAt(at) + 7 * text.charCodeAt(at + 1)) % 10 === 0) {
        parts.add(text.slice(at, at + minLength));
      }
    }
  }
  return [...parts].filter(({ length }) => length >= minLength);
}
