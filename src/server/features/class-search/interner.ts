// Interns field values: many classes share the same subjects, seasons, days and times.
import type { Class } from '#contract/entities.ts';

export function createClassInterner(): (one: Class) => Class {
  const texts = new Map<string, string>();
  const lists = new Map<string, string[]>();

  function text(value: string | null): string | null {
    if (value === null) return null;
    const known = texts.get(value);
    if (known === undefined) texts.set(value, value);
    return known ?? value;
  }

  function list(values: string[] | null): string[] | null {
    if (values === null) return null;
    const key = values.join('\n');
    const known = lists.get(key);
    if (known === undefined) lists.set(key, values);
    return known ?? values;
  }

  return (one) => ({
    ...one,
    subjectAbbreviation: text(one.subjectAbbreviation),
    courseNumber: text(one.courseNumber),
    sectionNumber: text(one.sectionNumber),
    semesterSeason: text(one.semesterSeason),
    classSchedule: list(one.classSchedule),
    beginClassTime: text(one.beginClassTime),
    endClassTime: text(one.endClassTime),
  });
}
