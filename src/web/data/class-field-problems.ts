import {
  type ClassFields,
  findClassFieldsError,
  findListedFieldsError,
} from '#contract/class-fields.ts';
import { isBlank } from '#contract/text.ts';
import { getText } from '#web/get-text.ts';

type FieldName = keyof ClassFields;

const fillInText = getText('data.classField.missing');
const timeText = getText('data.classField.noTime');
const missingTexts: Record<FieldName, string> = {
  courseName: fillInText,
  subjectAbbreviation: fillInText,
  courseNumber: fillInText,
  sectionNumber: fillInText,
  semesterSeason: getText('data.classField.noSeason'),
  classSchedule: getText('data.classField.noDay'),
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
      beginClassTime: getText('data.classField.beginsTooLate'),
      endClassTime: getText('data.classField.endsTooEarly'),
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
