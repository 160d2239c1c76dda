// The words for reports and decisions.
import type { Case } from '#contract/moderation.ts';
import type { ReportReason } from '#contract/report-reasons.ts';
import { createDateFormat, formatMoment, formatTimeOfDay, toPastTime } from '#web/format.ts';

export const reasonLabels = {
  threat: 'Threat against someone',
  'self-harm': 'Self-harm or suicide',
  harassment: 'Harassment',
  'private-information': 'Private information',
  cheating: 'Cheating',
  spam: 'Spam',
  other: 'Something else',
} as const satisfies Record<ReportReason, string>;

export const reasons = Object.keys(reasonLabels) as ReportReason[];

export const muteLabels = { 1: 'an hour', 24: 'a day', 168: 'a week' } as const;
export type MuteHours = keyof typeof muteLabels;

/** `Message removed, author muted for a day` */
export function toDecisionLabel({ decision, sanction, messageId }: Case): string {
  const isAboutMember = messageId === null;
  const target = isAboutMember ? 'Member' : 'author';
  const sanctionLabel =
    sanction &&
    (sanction.kind === 'removed'
      ? `${target} removed from the class`
      : `${target} muted for ${muteLabels[sanction.hours ?? 1]}`);
  if (isAboutMember) return sanctionLabel ?? 'No action';
  const message = decision === 'remove' ? 'Message removed' : 'Message kept';
  return [message, sanctionLabel].filter(Boolean).join(', ');
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
  return `${formatDayOfYear(date)}, ${formatTimeOfDay(time)}`;
}
