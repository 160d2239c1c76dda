// Days and times in a query: 'mwf', 't/th', 'evening', '10am', 'after 5'.
import { weekdays } from '#contract/class-fields.ts';
import type { Token } from '#server/base/tokenizer.ts';

/** Minutes after midnight, both inclusive. */
export interface TimeRange {
  from: number;
  to: number;
}

export interface MeetingTime {
  /** The number of tokens that say it. */
  length: number;
  begins: TimeRange;
  /** As the search results show it. */
  label: string;
}

const dayLetters =
  /^(m(?:on?)?)?(t(?:u(?:es?)?)?)?(w(?:ed?)?)?(th(?:u(?:rs?)?)?|r)?(f(?:ri?)?)?(sat?)?(sun?)?$/;

/** @returns the days of letters such as `mwf`, `tuth` or `mtwrf`. Empty unless there are two or more. */
export function parseDays(letters: string): string[] {
  if (letters.length < 2 || letters.length > 20) return [];
  const [, ...groups] = dayLetters.exec(letters) ?? [];
  const days = weekdays.filter((_, i) => groups[i]);
  return days.length > 1 ? days : [];
}

const hour = 60;
const lastMinute = 24 * hour - 1;
const partsOfDay: Readonly<Record<string, [begins: TimeRange, label: string]>> = {
  morning: [{ from: 0, to: 12 * hour - 1 }, 'before noon'],
  noon: [{ from: 12 * hour, to: 13 * hour - 1 }, 'at noon'],
  afternoon: [{ from: 12 * hour, to: 17 * hour - 1 }, 'in the afternoon'],
  evening: [{ from: 17 * hour, to: lastMinute }, 'from 5 PM'],
  night: [{ from: 17 * hour, to: lastMinute }, 'from 5 PM'],
};

/** Reads a meeting time that begins at this token. */
export function parseMeetingTime(
  text: string,
  tokens: readonly Token[],
  at: number,
): MeetingTime | null {
  const word = tokens[at]?.text ?? '';
  const part = partsOfDay[word.replace(/s$/, '')];
  if (part) return { length: 1, begins: part[0], label: part[1] };
  const bound = word === 'after' || word === 'before' ? word : null;
  const clock = parseClock(text, tokens, bound ? at + 1 : at, bound !== null);
  if (!clock) return null;
  const { minutes, isWholeHour, length } = clock;
  if (bound === 'after') {
    const begins = { from: minutes, to: lastMinute };
    return { length: length + 1, begins, label: `from ${formatClock(minutes)}` };
  }
  if (bound === 'before') {
    const begins = { from: 0, to: minutes - 1 };
    return { length: length + 1, begins, label: `before ${formatClock(minutes)}` };
  }
  const begins = { from: minutes, to: isWholeHour ? minutes + hour - 1 : minutes };
  return { length, begins, label: `at ${formatClock(minutes)}` };
}

interface Clock {
  minutes: number;
  /** Only the hour was given. */
  isWholeHour: boolean;
  length: number;
}

/** Reads '9am', '9:30', '9:30 pm' and '930am', and '9' if a bare hour is allowed. */
function parseClock(
  text: string,
  tokens: readonly Token[],
  at: number,
  allowsBareHour: boolean,
): Clock | null {
  const first = tokens[at];
  if (!first || !/^\d{1,4}$/.test(first.text)) return null;
  let length = 1;
  let hours = Number(first.text);
  let minutes: number | null = null;
  const second = tokens[at + 1];
  if (second && text.slice(first.end, second.start) === ':' && /^\d{1,2}$/.test(second.text)) {
    minutes = Number(second.text);
    length = 2;
  } else if (hours >= 100) {
    minutes = hours % 100;
    hours = Math.floor(hours / 100);
  }
  const half = /^([ap])m?$/.exec(tokens[at + length]?.text ?? '')?.[1];
  const isClock = half !== undefined || length === 2 || (allowsBareHour && minutes === null);
  if (!isClock || hours > 23 || (minutes ?? 0) > 59) return null;
  // Without AM or PM, classes between 1 and 7 are in the afternoon.
  if (half === 'p' ? hours < 12 : half === undefined && hours > 0 && hours < 8) hours += 12;
  if (half === 'a' && hours === 12) hours = 0;
  return {
    minutes: hours * hour + (minutes ?? 0),
    isWholeHour: minutes === null,
    length: half === undefined ? length : length + 1,
  };
}

function formatClock(minutes: number): string {
  const hours = Math.floor(minutes / hour);
  const rest = minutes % hour;
  const shown = `${hours % 12 || 12}${rest > 0 ? `:${String(rest).padStart(2, '0')}` : ''}`;
  return `${shown} ${hours < 12 ? 'AM' : 'PM'}`;
}
