// Looks for values that occur in two classes: they could stand for one account, whatever they mean.
import { toBytes } from './find-secrets.ts';
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
  // The names of staff, whose acts have them in public.
  'roles.staffName',
  'sanctions.staffName',
  'auditLog.staffName',
  'cases.decidedBy',
  'reviews.decidedBy',
  'unmaskings.requestedBy',
  'unmaskings.closedBy',
  // The size of a picture, and colors that everyone in the class sees.
  'images.shape',
  // A member of two classes that were merged is named in none of them.
  'classes.mergedInto',
]);

/** A word of the code, such as the kind of a row, or a time in milliseconds. */
const isNoName = (value: string) => /^[a-z -]{1,24}$|^1\d{12}$/i.test(value);

/** @returns the columns with a value, or a part of a text, that occurs in rows of two classes: 'enrollments.accountId' */
export function findRepetitions({ tables }: StolenCopy): string[] {
  const classIds = new Set(tables.get('classes')!.map(({ values }) => String(values['classId'])));
  /** The first class in which a value occurs, with its column. */
  const first = new Map<string, { classId: string; place: string }>();
  const repeated = new Set<string>();
  for (const [table, rows] of tables) {
    for (const { values } of rows) {
      const ofRow = Object.values(values).filter((value) => classIds.has(String(value)));
      if (ofRow.length !== 1) continue;
      const classId = String(ofRow[0]);
      for (const [column, value] of Object.entries(values)) {
        const place = `${table}.${column}`;
        if (harmless.has(place)) continue;
        for (const part of listParts(value)) {
          if (classIds.has(part) || isNoName(part)) continue;
          const known = first.get(part);
          if (!known) first.set(part, { classId, place });
          else if (known.classId !== classId) repeated.add(place).add(known.place);
        }
      }
    }
  }
  return [...repeated].toSorted();
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
