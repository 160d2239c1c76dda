import { toClassLabel } from '#contract/class-label.ts';
import type { SearchHit } from '#contract/class-search.ts';

// Formats the details of a search result.

export function formatClassName(
  hit: Pick<SearchHit, 'courseName' | 'name'> & Parameters<typeof toClassLabel>[0],
): string {
  return hit.courseName?.trim() || hit.name?.trim() || toClassLabel(hit);
}

export function formatMemberCount({ memberCount }: Pick<SearchHit, 'memberCount'>): string {
  return memberCount === 1 ? '1 member' : `${memberCount} members`;
}

/** `Monday & Wednesday`. Older records have no list or an empty one. */
export function formatDays({ classSchedule }: Pick<SearchHit, 'classSchedule'>): string {
  const days = Array.isArray(classSchedule) ? classSchedule.join(' & ') : '';
  return days || 'No Schedule Available';
}

/** `9:00 AM – 10:15 AM`, or '' if the record has no times. */
export function formatTimes(hit: Pick<SearchHit, 'beginClassTime' | 'endClassTime'>): string {
  return [hit.beginClassTime, hit.endClassTime].map(formatTime).filter(Boolean).join(' – ');
}

/** `13:05` → `1:05 PM`. Returns null for an invalid time. */
export function formatTime(time: string | null): string | null {
  const match = /^(\d{1,2}):(\d{2})$/.exec(time ?? '');
  if (!match) return null;
  const hour = Number(match[1]);
  return `${hour % 12 || 12}:${match[2]} ${hour < 12 ? 'AM' : 'PM'}`;
}
