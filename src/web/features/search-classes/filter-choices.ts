import { semesterSeasons, weekdays } from '#contract/class-fields.ts';

/** What results can be narrowed by, in the order of the screen. */
export const classFilters = [
  { attribute: 'subjectAbbreviation', name: 'Subject', param: 'subject', fixed: null },
  { attribute: 'semesterSeason', name: 'Season', param: 'season', fixed: semesterSeasons },
  { attribute: 'classSchedule', name: 'Day', param: 'day', fixed: weekdays },
] as const satisfies readonly {
  attribute: string;
  name: string;
  /** In the URL. */
  param: string;
  /** All that there can be, in order; null where that depends on the classes. */
  fixed: readonly string[] | null;
}[];

export type ClassFilter = (typeof classFilters)[number];

/** One value of a filter as people see it. */
export interface Choice {
  label: string;
  /** How the classes write it: `cs` and `CS` are one choice. */
  values: string[];
  /** How many classes there would be. */
  count: number;
  chosen: boolean;
}

interface Found {
  value: string;
  count: number;
  isRefined: boolean;
}

/**
 * What the index counted, as choices: codes that differ in case alone together, the days and seasons
 * all there in their order, and what was chosen always, so that it can be taken back.
 */
export function filterChoices(
  found: readonly Found[],
  fixed: readonly string[] | null,
  refined: readonly string[],
): Choice[] {
  const choices = new Map<string, Choice>();
  const choiceOf = (value: string) => {
    const label = fixed ? value : value.toUpperCase();
    const known = choices.get(label) ?? { label, values: [], count: 0, chosen: false };
    choices.set(label, known);
    if (!known.values.includes(value)) known.values.push(value);
    return known;
  };
  for (const value of fixed ?? []) choiceOf(value);
  for (const { value, count, isRefined } of found) {
    const choice = choiceOf(value);
    choice.count += count;
    choice.chosen ||= isRefined;
  }
  for (const value of refined) choiceOf(value).chosen = true;
  const all = [...choices.values()];
  return fixed ? all : all.toSorted((a, b) => a.label.localeCompare(b.label, 'en'));
}
