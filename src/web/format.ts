// Formats counts, times and days for the interface, and names the state of a message.
import type { Persona, Picture } from '#contract/entities.ts';
import { toImageCounts } from '#contract/pdf.ts';
import { isUnnamed, toShownName } from '#contract/persona-name.ts';
import { getText, getTexts, language } from '#web/get-text.ts';

/** `2621440` → `2.5`. Rounds up, so that a small file is not 0. */
export function formatMegabytes(bytes: number): string {
  const megabytes = Math.ceil((bytes / 1024 ** 2) * 10) / 10;
  return megabytes.toLocaleString(language, { minimumFractionDigits: 1 });
}

/** Creates the format on its first use: the first of a page costs 30 ms or more, before anything is on screen. */
export function createDateFormat(options: Intl.DateTimeFormatOptions) {
  let format: Intl.DateTimeFormat | undefined;
  return (time: number | Date): string => {
    format ??= new Intl.DateTimeFormat(language, options);
    return format.format(time);
  };
}

const formatDayOfThisYear = createDateFormat({ weekday: 'long', month: 'long', day: 'numeric' });
const formatLongDay = createDateFormat({ dateStyle: 'long' });

const formatShortTime = createDateFormat({ timeStyle: 'short' });

/** `2:30 PM`, or `14:30` where people use 24 hours. English has the narrow space of `Intl`, which its first screen does without. */
export function formatTimeOfDay(time: number): string {
  if (language !== 'en') return formatShortTime(time);
  const date = new Date(time);
  const hours = date.getHours();
  const minutes = String(date.getMinutes()).padStart(2, '0');
  return `${hours % 12 || 12}:${minutes}\u202f${hours < 12 ? 'AM' : 'PM'}`;
}

export function formatDate(time: number): string {
  return formatLongDay(time);
}

/** A moment in the reader's own time zone, such as `November 22, 2026, 2:30 PM`. */
export function formatMoment(time: number): string {
  return getText('format.moment', { day: formatDate(time), time: formatTimeOfDay(time) });
}

/** A day without a time, such as `2026-09-01`. */
export function formatDay(isoDay: string): string {
  // Without a time zone, JavaScript reads a date with a time as local time, but a bare date as UTC.
  return formatLongDay(new Date(`${isoDay}T00:00`));
}

/** A day of the past, as `formatDay` shows it. */
export function formatPastDay(isoDay: string): string {
  return formatLongDay(toPastTime(isoDay));
}

/** The midnight of a day that the server stored in UTC, or now, if that day is still tomorrow in this time zone. */
export function toPastTime(isoDay: string): number {
  return Math.min(new Date(`${isoDay}T00:00`).getTime(), Date.now()); // LAYOUT-61
}

/** `a, b, c`, or `a, b und c` */
export function formatList(parts: readonly string[]): string {
  return new Intl.ListFormat(language, { style: 'narrow' }).format(parts);
}

/** The reader's own time zone, such as Europe/Berlin. */
export function getOwnTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The value of an input of the type `datetime-local`, in the reader's own time zone, such as `2026-09-01T14:30`. */
export function toLocalMinute(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 16);
}

/** `Today`, `Yesterday` or the date. */
export function formatRelativeDay(time: number, now: Date): string {
  const date = new Date(time);
  if (date.toDateString() === now.toDateString()) return getText('format.day.today');
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date.toDateString() === yesterday.toDateString()) return getText('format.day.yesterday');
  return date.getFullYear() === now.getFullYear() ? formatDayOfThisYear(time) : formatLongDay(time);
}

/** Such as `Yesterday, 2:30 PM`. */
export function formatRelativeMoment(time: number, now: Date): string {
  const day = formatRelativeDay(time, now);
  return getText('format.moment', { day, time: formatTimeOfDay(time) });
}

interface Counts {
  /** Pictures and PDFs together. */
  imageCount: number;
  pdfCount?: number | undefined;
}

/** 'Picture', '2 PDFs', 'Picture and PDF', '3 pictures and 1 PDF', or nothing. */
export function countImages({ imageCount, pdfCount = 0 }: Counts): string {
  const pictureCount = imageCount - pdfCount;
  if (imageCount === 0) return '';
  if (pdfCount === 0) return getText('format.pictures', { count: pictureCount });
  if (pictureCount === 0) return getText('format.pdfs', { count: pdfCount });
  if (imageCount === 2) return getText('format.pictureAndPdf');
  return getText('format.picturesAndPdfs', { pictureCount, pdfCount });
}

/** Names pictures and PDFs, with the descriptions and titles that their sender typed: 'PDF: Sheet 3'. */
export function describeImages(
  images: readonly Pick<Picture, 'alt' | 'spoiler' | 'pages'>[],
): string {
  const alts = images.map(toShownAlt).filter(Boolean);
  return addDescription(countImages(toImageCounts(images)), alts.join('; '));
}

/** The description of a picture. That of a hidden one says that it is hidden. */
export function toShownAlt({ alt, spoiler }: Pick<Picture, 'alt' | 'spoiler'>): string {
  return spoiler ? getText('common.spoiler') : alt;
}

export function addDescription(label: string, alt: string): string {
  return alt ? getText('format.described', { label, text: alt }) : label;
}

/** Shown in the place of a message that reports or a moderator concealed. */
export const moderationTexts = getTexts('format.concealed');

/**
 * The name of a member and what kind it is, for labels and announcements: 'Teal Moon, Anonymous', 'Dr. Lee (Staff)'. No name has
 * parentheses.
 *
 * @param tag see `findTags`
 */
export function toSpokenName(
  persona: Pick<Persona, 'anonymousName' | 'icon' | 'staff'> | undefined,
  tag?: string,
): string {
  if (!persona) return getText('common.anonymous');
  const name = tag ? `${toShownName(persona)} ${tag}` : toShownName(persona);
  if (persona.staff) return getText('format.staffName', { name });
  return isUnnamed(persona) ? getText('format.anonymousName', { name }) : name;
}
