import type { ClassSettings } from '#contract/entities.ts';
import { formatDuration } from '#web/api.ts';
import type { Field } from './settings-changes.ts';

const offeredSeconds = [0, 5, 10, 30, 60, 300, 900, 3600];

/** The choices of slow mode, with the current one. */
export function listPauses(current: number): number[] {
  return [...new Set([...offeredSeconds, current])].toSorted((a, b) => a - b);
}

export function toPauseLabel(seconds: number): string {
  return seconds === 0 ? 'Off' : `Every ${formatDuration(seconds * 1000)}`;
}

/** One setting in words. */
export function describeValue(settings: ClassSettings, field: Field): string {
  switch (field) {
    case 'slowModeSeconds':
      return toPauseLabel(settings.slowModeSeconds);
    case 'readOnly':
    case 'picturesOff':
      return settings[field] ? 'On' : 'Off';
    case 'description':
    case 'rules':
      return settings[field] || '(empty)';
    case 'pins':
      return settings.pins.length === 1 ? '1 message' : `${settings.pins.length} messages`;
  }
}

/** What members of the class must know, one sentence each. */
export function describeRestrictions(settings: ClassSettings): string[] {
  return [
    settings.readOnly ? 'Read-only: no one can write for now.' : '',
    settings.slowModeSeconds > 0
      ? `Slow mode: one message every ${formatDuration(settings.slowModeSeconds * 1000)}.`
      : '',
    settings.picturesOff ? 'Pictures and PDFs are turned off.' : '',
  ].filter(Boolean);
}
