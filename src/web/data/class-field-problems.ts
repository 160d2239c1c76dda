import { type ClassFields, findClassFieldsError } from '#contract/class-fields.ts';
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

/** Says for each wrong field of a class what is wrong with it. */
export function findFieldProblems(fields: ClassFields): Partial<Record<FieldName, string>> {
  const error = findClassFieldsError(fields);
  if (error === 'CLASS_TIMES') {
    return {
      beginClassTime: 'It must be earlier than the end.',
      endClassTime: 'It must be later than the begin.',
    };
  }
  const names = Object.keys(missingTexts) as FieldName[];
  const missingNames = names.filter((name) => {
    const value = fields[name];
    return typeof value === 'string' ? isBlank(value) : value.length === 0;
  });
  return Object.fromEntries(missingNames.map((name) => [name, missingTexts[name]]));
}
