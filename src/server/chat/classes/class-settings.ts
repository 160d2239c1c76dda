// Reads and changes what moderators set for a class: slow mode, read-only, pictures off, pinned messages, description and rules.
import type { ClassSettings, Message, Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { SettingsChange } from '#contract/classes.ts';
import type { Database } from '#server/store/tables.ts';
import { findSettings, saveSettings } from './class-settings-queries.ts';
import { findClass } from './classes-queries.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { findMessage, listMessagesById } from '#server/chat/messages/messages-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { toPersonaIds } from '#server/chat/messages/history.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';

export interface SettingsWithPins {
  settings: ClassSettings;
  /** The pinned messages, in order. */
  messages: Message[];
  personas: Persona[];
}

export async function getSettingsWithPins(
  db: Database,
  classId: string,
): Promise<SettingsWithPins> {
  const settings = await findSettings(db, classId);
  const pinnedMessages = await listMessagesById(db, classId, settings.pins);
  const messages = settings.pins.flatMap(
    (pin) => pinnedMessages.find(({ id }) => id === pin) ?? [],
  );
  const personas = await listPersonas(db, classId, messages.flatMap(toPersonaIds));
  return { settings, messages, personas };
}

/**
 * Changes the settings, with an entry in the audit log. Two moderators can change them at the same time: the second one
 * names a version that is outdated, and decides again.
 *
 * @throws {AppError} NOT_FOUND, CLASS_ENDED, SETTINGS_CHANGED
 */
export async function changeSettings(
  unitOfWork: UnitOfWork,
  classId: string,
  { version, ...changes }: SettingsChange,
  staffName: string,
): Promise<ClassSettings> {
  const { db } = unitOfWork;
  const old = await findSettings(db, classId);
  if (old.version !== version) throw new AppError('SETTINGS_CHANGED');
  const next: ClassSettings = {
    version: version + 1,
    slowModeSeconds: changes.slowModeSeconds ?? old.slowModeSeconds,
    readOnly: changes.readOnly ?? old.readOnly,
    picturesOff: changes.picturesOff ?? old.picturesOff,
    description: changes.description?.trim() ?? old.description,
    rules: changes.rules?.trim() ?? old.rules,
    pins: changes.pins ? await listPresentPins(db, classId, changes.pins) : old.pins,
  };
  await publishSettings(unitOfWork, classId, next);
  const reason = Object.keys(changes).join(', ');
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason });
  return next;
}

/**
 * Removes an erased message from the pins. It does not outdate what moderators are changing. A deleted class keeps the
 * id: readers skip it.
 */
export async function unpinErased(unitOfWork: UnitOfWork, classId: string, messageId: string) {
  const old = await findSettings(unitOfWork.db, classId);
  if (!old.pins.includes(messageId) || !(await findClass(unitOfWork.db, classId))) return;
  const pins = old.pins.filter((id) => id !== messageId);
  await publishSettings(unitOfWork, classId, { ...old, pins }, true);
}

async function publishSettings(
  unitOfWork: UnitOfWork,
  classId: string,
  settings: ClassSettings,
  allowEnded = false,
): Promise<void> {
  const { db } = unitOfWork;
  const { seq, id } = await appendToLog(db, classId, 'settings', '', { allowEnded });
  await saveSettings(db, classId, settings);
  // The earlier texts leave the disk, like those of edited messages.
  unitOfWork.contentErased();
  unitOfWork.publish(classId, { kind: 'settings', seq, id, settings });
}

/** A message may have been deleted while the moderator looked at the list: it is left out. */
async function listPresentPins(
  db: Database,
  classId: string,
  pins: readonly string[],
): Promise<string[]> {
  const present: string[] = [];
  for (const pin of pins) {
    const message = await findMessage(db, classId, pin);
    if (!message) throw new AppError('NOT_FOUND');
    if (!message.deleted && message.moderation !== 'removed') present.push(pin);
  }
  return present;
}
