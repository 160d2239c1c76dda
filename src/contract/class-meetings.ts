// Reads the days and times of a class in the spellings of registrars.
import { weekdays, type ClassFields, type Weekday } from './class-fields.ts';

type Meeting = Pick<ClassFields, 'classSchedule' | 'beginClassTime' | 'endClassTime'>;

/** What registrars write for a class without days or times. */
const noMeeting =
  /^(tb[ad]|arr|arranged|(by )?arrangement|online|on-?line|web|remote|distance|async|asynchronous|none|no meeting|n\/?a|[-–—]+)?$/i;

/**
 * Reads the meetings of a class, of which it keeps the first of the week.
 *
 * @param endText null if one column has begin and end
 * @returns a sentence if a day or a time is not known, or can be read in two ways
 */
export function parseMeetings(
  daysText: string,
  beginText: string,
  endText: string | null,
): Meeting | string {
  // A column for everything has days in front of the times.
  const hasOneColumn = endText === null && daysText === beginText;
  const split = (text: string | null) => (text ?? '').split(/[;|\n]/).map((part) => part.trim());
  const isList = split(beginText).length > 1;
  const daysParts = isList ? split(daysText) : [daysText];
  const endParts = isList ? split(endText) : [endText ?? ''];
  const meetings: Meeting[] = [];
  for (const [index, part] of (isList ? split(beginText) : [beginText]).entries()) {
    const daysPart = daysParts[index] ?? daysParts.at(-1) ?? '';
    const [ownDays = ''] = /^(?:(?!\bnoon\b)\D)*/i.exec(part) ?? [];
    const meeting = hasOneColumn
      ? parseMeeting(ownDays, part.slice(ownDays.length), null)
      : parseMeeting(daysPart, part, endText === null ? null : (endParts[index] ?? ''));
    if (typeof meeting === 'string') return meeting;
    meetings.push(meeting);
  }
  return chooseMeeting(meetings);
}

function parseMeeting(
  daysText: string,
  beginText: string,
  endText: string | null,
): Meeting | string {
  const daysWords = daysText.replace(/\btb[ad]\b/gi, '').trim();
  const classSchedule = noMeeting.test(daysWords) ? [] : parseDays(daysWords);
  if (typeof classSchedule === 'string') return classSchedule;
  const [begin = '', end = '', ...more] =
    endText === null ? beginText.split(rangeSeparator) : [beginText, endText];
  if (more.length > 0) return `Begin, End: ‘${beginText}’ has more than two times.`;
  const begins = noMeeting.test(begin) ? [''] : parseTime(begin);
  const ends = noMeeting.test(end) ? [''] : parseTime(end);
  if (begins.length === 0) return `Begin: ‘${begin}’ is no time.`;
  if (ends.length === 0) return `End: ‘${end}’ is no time.`;
  const times = chooseTimes(begins, ends);
  if (!times) {
    return `Begin: ‘${begin}’ can be AM or PM. Write which, as in ‘${begin} PM’ or ‘${begins[1]}’.`;
  }
  const [beginClassTime, endClassTime] = times;
  const isMidnight = beginClassTime === '00:00' && endClassTime === '00:00';
  return isMidnight
    ? { classSchedule, beginClassTime: '', endClassTime: '' }
    : { classSchedule, beginClassTime, endClassTime };
}

const rangeSeparator = /\s*(?:[-‐-―−]+|[~〜]|\b(?:to|thru|through|until|till)\b)\s*/i;

/**
 * Chooses the first meeting of the week, on all days that have one at the same times. A class has one schedule. Meetings
 * without days or times come last.
 */
export function chooseMeeting(meetings: readonly Meeting[]): Meeting {
  const toOrder = ({ classSchedule: [day], beginClassTime, endClassTime }: Meeting) =>
    `${day ? weekdays.indexOf(day) : 9} ${beginClassTime || '99'} ${endClassTime}`;
  const [firstMeeting] = meetings.toSorted((a, b) => (toOrder(a) < toOrder(b) ? -1 : 1));
  const { beginClassTime = '', endClassTime = '' } = firstMeeting ?? {};
  const days = meetings
    .filter((meeting) => meeting.beginClassTime === beginClassTime)
    .filter((meeting) => meeting.endClassTime === endClassTime)
    .flatMap(({ classSchedule }) => classSchedule);
  return {
    classSchedule: weekdays.filter((day) => days.includes(day)),
    beginClassTime,
    endClassTime,
  };
}

const namesOfDays: readonly (readonly [Weekday, string])[] = [
  ['Monday', 'mondays?|mon|mo|m'],
  ['Tuesday', 'tuesdays?|tues|tue|tu|t'],
  ['Wednesday', 'wednesdays?|weds?|we|w'],
  ['Thursday', 'thursdays?|thurs|thur|thu|thr|th|r'],
  ['Friday', 'fridays?|fri|fr|f'],
  ['Saturday', 'saturdays?|sat|sa|s'],
  ['Sunday', 'sundays?|sun|su|u'],
];
/** Longer names come first, as 'th' before 't'. */
const dayName = new RegExp(
  namesOfDays
    .flatMap(([, names]) => names.split('|'))
    .toSorted((a, b) => b.length - a.length)
    .join('|'),
  'g',
);
const daysByName = namesOfDays.map(([day, names]) => [new RegExp(`^(${names})$`), day] as const);

/** @returns a sentence if a person could read other days */
export function parseDays(text: string): Weekday[] | string {
  const unknown = `Days: ‘${text}’ is not known.`;
  // A range, as in 'M-F', or a list, as in 'M-W-F'.
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s*([-‐-―−]+|[~〜]|\.\.|\b(?:to|thru|through|until|till)\b)\s*/g, (_, sign: string) =>
      /^\p{Pd}|−/u.test(sign) ? ' - ' : ' to ',
    )
    .split(/(?:[\s,;/&.+]|\band\b)+/)
    .filter(Boolean);
  const days: Weekday[] = [];
  const isList = words.filter((word) => word === '-').length > 1 && !words.includes('to');
  for (let n = 0; n < words.length; n++) {
    const word = words[n] ?? '';
    const isRange = word === 'to' || (word === '-' && !isList);
    if (word === '-' && isList) continue;
    const nextDays = parseRun((isRange ? words[n + 1] : word) ?? '', days);
    const [last] = nextDays ?? [];
    if (!nextDays || !last) return unknown;
    if (isRange) {
      const first = parseRun(words[n - 1] ?? '', [])?.[0];
      const range = first && nextDays.length === 1 ? listRange(first, last) : null;
      if (!range || parseRun(words[n - 1] ?? '', [])?.length !== 1) return unknown;
      if (word === '-' && range.length === 3) {
        return `Days: ‘${text}’ can be two days or three. Write ‘${first}, ${last}’ or ‘${first} to ${last}’.`;
      }
      days.push(...range.slice(1));
      n += 1;
    } else {
      days.push(...nextDays);
    }
  }
  return new Set(days).size === days.length && days.length > 0
    ? weekdays.filter((day) => days.includes(day))
    : unknown;
}

/** From a day to a later one of the week, which can begin with Saturday or Sunday; null if the days are in another order. */
function listRange(first: Weekday, last: Weekday): Weekday[] | null {
  const week = first === 'Sunday' || first === 'Saturday' ? [...weekdays, ...weekdays] : weekdays;
  const start = week.indexOf(first);
  const end = week.indexOf(last, start);
  return end > start ? week.slice(start, end + 1) : null;
}

/**
 * Reads days without anything between them: `MWF`, `TuTh`, `MTWTF`, `monday`.
 *
 * @param earlierDays after Tuesday, another 'T' is Thursday, and after Saturday, another 'S' is Sunday
 * @returns null if it has something else, or days that are not in the order of the week, as the French 'sam'
 */
function parseRun(word: string, earlierDays: readonly Weekday[]): Weekday[] | null {
  // In 'MTWRFSU', each letter is a day. In 'FSU', 'SU' can be one day or two.
  const isOfLetters = word.length > 1 && /^m?t?w?r?f?su$/.test(word) && word !== 'su';
  if (isOfLetters && !word.includes('r')) return null;
  const names = word.match(isOfLetters ? /./g : dayName) ?? [];
  if (names.join('') !== word) return null;
  const days: Weekday[] = [];
  for (const name of names) {
    const day = daysByName.find(([pattern]) => pattern.test(name))?.[1];
    if (!day) return null;
    const isSecond = days.includes(day) || earlierDays.includes(day);
    if (isSecond && name === 't') days.push('Thursday');
    else if (isSecond && name === 's') days.push('Sunday');
    else days.push(day);
  }
  const weekdaysFromMonday = days[0] === 'Sunday' ? days.slice(1) : days;
  const isInOrder = weekdaysFromMonday.every(
    (day, n) =>
      n === 0 || weekdays.indexOf(day) > weekdays.indexOf(weekdaysFromMonday[n - 1] ?? day),
  );
  return isInOrder ? days : null;
}

/** @returns HH:MM, or the two times that it can be without AM or PM; empty if it is none */
function parseTime(text: string): string[] {
  const plainText = text.normalize('NFKC').trim().toLowerCase();
  if (/^(12 ?)?noon$|^12 ?n$/.test(plainText)) return ['12:00'];
  // A spreadsheet program can save a time as a part of the day.
  if (/^0?[.,]\d+$/.test(plainText)) {
    const minutes = Math.round(Number(`0.${plainText.split(/[.,]/)[1]}`) * 1440);
    return minutes < 1440 ? [toTime(Math.floor(minutes / 60), minutes % 60)] : [];
  }
  const [whole, hourText = '', minuteText = '0', clock = '', half = ''] =
    /^(\d{1,2})(?:[:.h]?(\d{2}))?(?:[:.]00)?\s*(h|hrs?|uhr)?\s*(?:([ap])\.?\s?(?:m\.?)?)?$/.exec(
      plainText,
    ) ?? [];
  const hour = Number(hourText);
  const minute = Number(minuteText);
  if (whole === undefined || hour > 23 || minute > 59) return [];
  if (half !== '') {
    if (hour < 1 || hour > 12) return [];
    return [toTime((hour % 12) + (half === 'p' ? 12 : 0), minute)];
  }
  const isOf24Hours = hour > 12 || hourText.startsWith('0') || clock !== '' || /^\d+h/.test(whole);
  if (isOf24Hours) return [toTime(hour, minute)];
  return [toTime(hour % 12, minute), toTime((hour % 12) + 12, minute)];
}

const toTime = (hour: number, minute: number) =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

/**
 * Chooses what a person reads if AM or PM is missing: in `9:00-9:50 AM`, `1:00 PM-2:15` and `11:00-12:15`, but not in
 * `1:00-2:15`.
 *
 * @returns null if nothing tells
 */
function chooseTimes(begins: readonly string[], ends: readonly string[]): [string, string] | null {
  const [begin = '', laterBegin] = begins;
  const [end = '', laterEnd] = ends;
  const toHours = (time: string) => Number(time.slice(0, 2));
  const firstEnd = (start: string) =>
    ends.find((time) => time > start && toHours(time) - toHours(start) <= 10) ?? end;
  if (laterBegin === undefined) return [begin, firstEnd(begin)];
  if (laterEnd === undefined && end !== '') {
    return [begins.findLast((time) => time < end) ?? begin, end];
  }
  // Classes begin from 8 to 12 in the day.
  if (laterBegin >= '20:00') return [begin, firstEnd(begin)];
  return laterBegin < '13:00' ? [laterBegin, firstEnd(laterBegin)] : null;
}
