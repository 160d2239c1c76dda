import type { ClassSettings } from '#contract/entities.ts';
import { isOver, type QuietTime } from '#contract/quiet-times.ts';
import { parseClock } from '#contract/time-zones.ts';
import { formatDuration } from '#web/api.ts';
import { getOwnTimeZone } from '#web/format.ts';
import { getText, language } from '#web/get-text.ts';
import type { Field } from './settings-changes.ts';

const offeredSeconds = [0, 5, 10, 30, 60, 300, 900, 3600];

/** The choices of slow mode, with the current one. */
export function listPauses(current: number): number[] {
  return [...new Set([...offeredSeconds, current])].toSorted((a, b) => a - b);
}

export function toPauseLabel(seconds: number): string {
  return seconds === 0
    ? getText('classSettings.off')
    : getText('classSettings.slowMode.every', { duration: formatDuration(seconds * 1000) });
}

/** One setting in words. */
export function describeValue(settings: ClassSettings, field: Field): string {
  switch (field) {
    case 'slowModeSeconds':
      return toPauseLabel(settings.slowModeSeconds);
    case 'readOnly':
    case 'picturesOff':
      return settings[field] ? getText('classSettings.on') : getText('classSettings.off');
    case 'description':
    case 'rules':
      return settings[field] || getText('classSettings.texts.none');
    case 'quietTimes':
      return settings.quietTimes.map(describeQuietTime).join('; ') || getText('classSettings.none');
    case 'pins':
      return getText('classSettings.pins.count', { count: settings.pins.length });
  }
}

/**
 * What members of the class must know, one sentence each.
 *
 * @param now the time of the server
 */
export function describeRestrictions(settings: ClassSettings, now: number): string[] {
  const quietTimes = settings.quietTimes.filter((quietTime) => !isOver(quietTime, now));
  return [
    settings.readOnly ? getText('classSettings.readOnly.restriction') : '',
    settings.slowModeSeconds > 0
      ? getText('classSettings.slowMode.restriction', {
          duration: formatDuration(settings.slowModeSeconds * 1000),
        })
      : '',
    settings.picturesOff ? getText('classSettings.picturesOff.restriction') : '',
    ...quietTimes.map((quietTime) =>
      getText('classSettings.quietTime.restriction', { time: describeQuietTime(quietTime) }),
    ),
  ].filter(Boolean);
}

// Clocks are times in UTC, so the reader's own time zone does not change them.
const dates = new Intl.DateTimeFormat(language, {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
});
const daysOfWeek = new Intl.DateTimeFormat(language, {
  weekday: 'long',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** Such as 'Every week, Tuesday 10:00 AM – 12:00 PM: The exam is running'. */
function describeQuietTime({ begins, ends, zone, weekly, sentence }: QuietTime): string {
  const first = parseClock(begins);
  const last = parseClock(ends);
  if (first === null || last === null) return sentence;
  const range = (weekly ? daysOfWeek : dates).formatRange(first, last);
  const values = { range, sentence, zone: zone === getOwnTimeZone() ? 'own' : zone };
  return weekly
    ? getText('classSettings.quietTime.everyWeek', values)
    : getText('classSettings.quietTime.once', values);
}
