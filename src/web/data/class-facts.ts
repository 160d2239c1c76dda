// What a search result says about a class, in words.
import { classLabel } from '#contract/class-label.ts';
import type { SearchHit } from '#contract/search.ts';
import { clockTime } from '#web/data/clock-time.ts';

export function classNameOf(
  hit: Pick<SearchHit, 'courseName' | 'name'> & Parameters<typeof classLabel>[0],
): string {
  return hit.courseName?.trim() || hit.name?.trim() || classLabel(hit);
}

export function membersOf({ memberCount }: Pick<SearchHit, 'memberCount'>): string {
  return memberCount === 1 ? '1 member' : `${memberCount} members`;
}

/** `Monday & Wednesday`; older data has no list, or an empty one. */
export function daysOf({ classSchedule }: Pick<SearchHit, 'classSchedule'>): string {
  const days = Array.isArray(classSchedule) ? classSchedule.join(' & ') : '';
  return days || 'No Schedule Available';
}

/** `9:00 AM – 10:15 AM`; '' where the data has no times. */
export function timesOf(hit: Pick<SearchHit, 'beginClassTime' | 'endClassTime'>): string {
  return [hit.beginClassTime, hit.endClassTime].map(clockTime).filter(Boolean).join(' – ');
}
