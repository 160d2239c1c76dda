// Interns field values: many classes share the same subjects, seasons, days and times.
import type { Class } from '#contract/entities.ts';

export function createClassInterner(): (newClass: Class) => Class {
  const texts = new Map<string, string>();
  const lists = new Map<string, string[]>();

  function shareText(value: string | null): string | null {
    if (value === null) return null;
    const internedText = texts.get(value);
    if (internedText === undefined) texts.set(value, value);
    return internedText ?? value;
  }

  function shareList(values: string[] | null): string[] | null {
    if (values === null) return null;
    const key = values.join('\n');
    const internedList = lists.get(key);
    if (internedList === undefined) lists.set(key, values);
    return internedList ?? values;
  }

  return (newClass) => ({
    ...newClass,
    subjectAbbreviation: shareText(newClass.subjectAbbreviation),
    courseNumber: shareText(newClass.courseNumber),
    sectionNumber: shareText(newClass.sectionNumber),
    semesterSeason: shareText(newClass.semesterSeason),
    classSchedule: shareList(newClass.classSchedule),
    beginClassTime: shareText(newClass.beginClassTime),
    endClassTime: shareText(newClass.endClassTime),
  });
}
