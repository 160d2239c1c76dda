// The terms of TERM_ENDS, such as 'Fall 2026-12-20'.
import { semesterSeasons, type SemesterSeason } from '#contract/class-fields.ts';
import { toDate, toDay, formatDay } from '#server/base/days.ts';

export interface Term {
  season: SemesterSeason;
  /**
   * The end in days since 1970, on the clock of the school. A class that is created later, or has a later year, belongs to the
   * next term of this season.
   */
  lastDay: number;
}

/** @returns null if it is not a season with its last day */
export function parseTerm(text: string): Term | null {
  const [, name, date = ''] = /^\s*([a-z]+)\s+(\d{4}-\d\d-\d\d)\s*$/i.exec(text) ?? [];
  const season = semesterSeasons.find(
    (seasonName) => seasonName.toLowerCase() === name?.toLowerCase(),
  );
  const time = new Date(date);
  // JavaScript reads February 30 as March 2.
  if (!season || Number.isNaN(time.getTime()) || formatDay(time) !== date) return null;
  return { season, lastDay: toDay(time) };
}

export function formatTerm({ season, lastDay }: Term): string {
  return `${season} ${formatDay(toDate(lastDay))}`;
}
