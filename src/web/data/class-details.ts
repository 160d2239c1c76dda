import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import type { SearchHit } from '#contract/class-search.ts';
import { createDateFormat, formatList, formatTimeOfDay } from '#web/format.ts';
import { getText, getTexts, language } from '#web/get-text.ts';

// Formats the details of a search result.

export function formatClassName(
  hit: Pick<SearchHit, 'courseName' | 'name'> & Parameters<typeof toClassLabel>[0],
): string {
  return hit.courseName?.trim() || hit.name?.trim() || toClassLabel(hit);
}

export function formatMemberCount({ memberCount }: Pick<SearchHit, 'memberCount'>): string {
  return getText('data.class.members', { count: memberCount });
}

export function formatSection(section: string): string {
  return getText('data.class.section', { section: section.toUpperCase() });
}

const formatWeekday = createDateFormat({ weekday: 'long', timeZone: 'UTC' });
const seasons: Readonly<Record<string, string>> = getTexts('data.season');

/** A day of the week or a season, which a class has in English. */
export function formatDayOrSeason(word: string | null): string {
  const day = weekdays.findIndex((weekday) => weekday === word);
  if (day < 0) return seasons[word ?? ''] ?? word ?? '';
  return formatWeekday(Date.UTC(2024, 0, 1 + day)); // It began on a Monday.
}

// Not every browser knows on which day a week begins. 1 is Monday, as in our English.
const locale: Partial<Pick<Intl.Locale, 'getWeekInfo'>> = new Intl.Locale(language);
const firstDay = language === 'en' ? 1 : (locale.getWeekInfo?.().firstDay ?? 1);

export const listedWeekdays: readonly Weekday[] = [
  ...weekdays.slice(firstDay - 1),
  ...weekdays.slice(0, firstDay - 1),
];

/** `Monday & Wednesday`. Older records have no list or an empty one. */
export function formatDays({ classSchedule }: Pick<SearchHit, 'classSchedule'>): string {
  const days = Array.isArray(classSchedule) ? classSchedule.map(formatDayOrSeason) : [];
  if (days.length === 0) return getText('data.class.noSchedule');
  return language === 'en' ? days.join(' & ') : formatList(days);
}

/** `Fall 2026`. A class can lack the season or the year. */
export function formatTerm(term: { semesterSeason: string | null; year: number | null }): string {
  const season = formatDayOrSeason(term.semesterSeason);
  const year = String(term.year ?? '');
  return season && year ? getText('data.class.term', { season, year }) : season || year;
}

/** `9:00 AM – 10:15 AM`, or '' if the record has no times. */
export function formatTimes(hit: Pick<SearchHit, 'beginClassTime' | 'endClassTime'>): string {
  return [hit.beginClassTime, hit.endClassTime].map(formatTime).filter(Boolean).join(' – ');
}

/** `13:05` → `1:05 PM`. Returns null for an invalid time. */
export function formatTime(time: string | null): string | null {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(time ?? '') ?? [];
  if (!hour) return null;
  const date = new Date(2024, 0, 1, Number(hour), Number(minute));
  return formatTimeOfDay(date.getTime()).replace('\u202f', ' ');
}
