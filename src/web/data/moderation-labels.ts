// The words for reports and decisions.
import type { Case } from '#contract/moderation.ts';
import type { ReportReason } from '#contract/report-reasons.ts';
import { createDateFormat, formatMoment, formatTimeOfDay, toPastTime } from '#web/format.ts';
import { getText, getTexts } from '#web/get-text.ts';

export const reasonLabels: Record<ReportReason, string> = getTexts('data.reason');

export const muteLabels = {
  1: getText('data.mute.hour'),
  24: getText('data.mute.day'),
  168: getText('data.mute.week'),
};
const muteNames = { 1: 'hour', 24: 'day', 168: 'week' } as const;
export type MuteHours = keyof typeof muteLabels;

/** `Message removed, author muted for a day` */
export function toDecisionLabel({ decision, sanction, messageId }: Case): string {
  const muteName = sanction ? muteNames[sanction.hours ?? 1] : 'none';
  const sanctionName = sanction?.kind === 'removed' ? 'removed' : muteName;
  return messageId === null
    ? getText('data.decision.member', { sanction: sanctionName })
    : getText('data.decision.message', { decision: decision ?? '', sanction: sanctionName });
}

const formatDayOfYear = createDateFormat({ month: 'short', day: 'numeric' });

/** A day of the past without a time, such as `2026-11-22`: `Nov 22`. */
export function formatShortDay(isoDay: string): string {
  return formatDayOfYear(toPastTime(isoDay));
}

/** Today only the time, such as `2:30 PM`; otherwise also the day: `Nov 21, 2:30 PM`. */
export function formatShortMoment(time: number): string {
  const date = new Date(time);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return formatTimeOfDay(time);
  if (date.getFullYear() !== now.getFullYear()) return formatMoment(time);
  return getText('format.moment', { day: formatDayOfYear(date), time: formatTimeOfDay(time) });
}
