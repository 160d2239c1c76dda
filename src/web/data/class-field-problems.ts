import {
  type ClassFields,
  findClassFieldsError,
  findListedFieldsError,
} from '#contract/class-fields.ts';
import { isBlank } from '#contract/text.ts';

type FieldName = keyof ClassFields;

const fillInText = 'Please fill this in.';
const timeText = 'Please enter a time.';
const missingTexts: Record<FieldName, string> = {
  courseName: fillInText,
  subjectAbbreviation: fillInText,
  courseNumber: fillInText,
  sectionNumber: fillInText,
  semesterSeason: 'Please choose a season.',
  classSchedule: 'Please choose a day.',
  beginClassTime: timeText,
  endClassTime: timeText,
};

/**
 * Says for each wrong field of a class what is wrong with it.
 *
 * @param mayLackSchedule whether the class needs no days and no times
 */
export function findFieldProblems(
  fields: ClassFields,
  mayLackSchedule = false,
): Partial<Record<FieldName, string>> {
  const error = mayLackSchedule ? findListedFieldsError(fields) : findClassFieldsError(fields);
  if (error === null) return {};
  if (error === 'CLASS_TIMES') {
    return {
      beginClassTime: 'Must be before the end time.',
      endClassTime: 'Must be after the start time.',
    };
  }
  const names = Object.keys(missingTexts) as FieldName[];
  const optionalNames: readonly FieldName[] = mayLackSchedule
    ? [
        'classSchedule',
        ...(hasNoTimes(fields) ? (['beginClassTime', 'endClassTime'] as const) : []),
      ]
    : [];
  const missingNames = names.filter((name) => {
    if (optionalNames.includes(name)) return false;
    const value = fields[name];
    return typeof value === 'string' ? isBlank(value) : value.length === 0;
  });
  return Object.fromEntries(missingNames.map((name) => [name, missingTexts[name]]));
}

const hasNoTimes = ({ beginClassTime, endClassTime }: ClassFields) =>
  beginClassTime === '' && endClassTime === '';
