import { semesterSeasons } from '#contract/class-fields.ts';
import { compareText } from '#contract/text-order.ts';
import { formatDayOrSeason, listedWeekdays } from '#web/data/class-details.ts';
import { getTexts } from '#web/get-text.ts';

/** The search filters in display order. */
export const classFilters = [
  { attribute: 'subjectAbbreviation', param: 'subject', fixed: null },
  { attribute: 'semesterSeason', param: 'season', fixed: semesterSeasons },
  { attribute: 'classSchedule', param: 'day', fixed: listedWeekdays },
] as const satisfies readonly {
  attribute: string;
  /** The name of the URL parameter. */
  param: string;
  /** All possible values in order. Null if they depend on the classes. */
  fixed: readonly string[] | null;
}[];

export type ClassFilter = (typeof classFilters)[number];

export const filterNames: Record<ClassFilter['attribute'], string> =
  getTexts('classSearch.filterName');

/** One filter value as the app shows it. */
export interface Choice {
  label: string;
  /** The stored spellings: `cs` and `CS` are one choice. */
  values: string[];
  /** The number of classes with this value. */
  count: number;
  chosen: boolean;
}

/**
 * Converts the number of classes of each value to choices. Codes that differ only in case merge. Days and seasons are
 * always complete and in order. Selected values are always included, so that they can be deselected.
 */
export function toChoices(
  counts: Readonly<Record<string, number>>,
  fixed: readonly string[] | null,
  selectedValues: readonly string[],
): Choice[] {
  const choices = new Map<string, Choice>();
  const getChoice = (value: string) => {
    const label = fixed ? formatDayOrSeason(value) : value.toUpperCase();
    const choice = choices.get(label) ?? { label, values: [], count: 0, chosen: false };
    choices.set(label, choice);
    if (!choice.values.includes(value)) choice.values.push(value);
    return choice;
  };
  for (const value of fixed ?? []) getChoice(value);
  for (const [value, count] of Object.entries(counts)) getChoice(value).count += count;
  for (const value of selectedValues) getChoice(value).chosen = true;
  const all = [...choices.values()];
  return fixed ? all : all.toSorted((a, b) => compareText(a.label, b.label));
}
