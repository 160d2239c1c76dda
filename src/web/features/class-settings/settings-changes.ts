// A moderator's unsaved changes, while other moderators may change the same settings.
import type { ClassSettings } from '#contract/entities.ts';
import { isOver } from '#contract/quiet-times.ts';
import { call } from '#web/api.ts';
import type { SettingsDraft } from '#web/data/drafts.ts';
import { RejectedError } from '#web/rejected-error.ts';

/** What moderators change in the dialog. Staff change lectures and topics elsewhere. */
export type Fields = Omit<ClassSettings, 'version' | 'lecture' | 'topics'>;
export type Field = keyof Fields;

/** What the dialog shows: what this moderator changed, and otherwise what the class has now. */
export function applyChanges(current: ClassSettings, { changes }: SettingsDraft): ClassSettings {
  return { ...current, ...changes };
}

/**
 * The fields that this moderator and another one changed differently.
 *
 * @param now the time of the server
 */
export function listConflicts(
  current: ClassSettings,
  { base, changes }: SettingsDraft,
  now: number,
): Field[] {
  return (Object.keys(changes) as Field[]).filter((field) => {
    const baseValue = toComparable(base, field, current, now);
    const currentValue = toComparable(current, field, current, now);
    return (
      baseValue !== currentValue &&
      currentValue !== toComparable({ ...base, ...changes }, field, current, now)
    );
  });
}

/** The changes that differ from what the class has now. */
export function pickChangesToSave(
  current: ClassSettings,
  { changes }: SettingsDraft,
): Partial<Fields> {
  const changedFields = Object.entries(changes).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(current[field as Field]),
  );
  return Object.fromEntries(changedFields);
}

/**
 * Saves the changes onto what the class has at that time.
 *
 * @param knownSettings what the class had last
 * @param serverNow the time of the server
 * @throws {RejectedError} SETTINGS_CHANGED if another moderator changed one of the same fields
 */
export async function saveChanges(
  classId: string,
  knownSettings: ClassSettings,
  draft: SettingsDraft,
  serverNow: () => number,
): Promise<void> {
  let settings = knownSettings;
  for (;;) {
    const changes = pickChangesToSave(settings, draft);
    if (Object.keys(changes).length === 0) return;
    try {
      const body = { version: settings.version, ...changes };
      await call('changeClassSettings', { params: { classId }, body });
      return;
    } catch (error) {
      if (!(error instanceof RejectedError) || error.code !== 'SETTINGS_CHANGED') throw error;
      const latest = await call('readClassSettings', { params: { classId } });
      // What another moderator changed is no conflict if this one did not change it.
      if (listConflicts(latest.settings, draft, serverNow()).length > 0) throw error;
      ({ settings } = latest);
    }
  }
}

/** A pinned message that was deleted, and a quiet time that is over, leave the list, and that is no conflict. */
function toComparable(settings: Fields, field: Field, current: ClassSettings, now: number): string {
  if (field === 'quietTimes') {
    return JSON.stringify(settings.quietTimes.filter((quietTime) => !isOver(quietTime, now)));
  }
  if (field !== 'pins') return JSON.stringify(settings[field]);
  const isDeleted = (pin: string) => !current.pins.includes(pin);
  return JSON.stringify(settings.pins.filter((pin) => !isDeleted(pin)));
}
