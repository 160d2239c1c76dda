// Reads and changes what moderators set for a class: slow mode, read-only, quiet times, pictures off, pinned messages, description
// and rules.
import type { ClassSettings, Lecture, Message, Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { SettingsChange } from '#contract/classes.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { isOver } from '#contract/quiet-times.ts';
import type { Database } from '#server/store/tables.ts';
import { findSettings, saveSettings } from './class-settings-queries.ts';
import { findClass } from './classes-queries.ts';
import { deletePresenterLinks } from './presenter-links-queries.ts';
import { findHead } from '#server/chat/messages/authored-content-queries.ts';
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
 * Changes the settings, with an entry in the audit log. If two moderators change them at the same time, the version of the second
 * one is outdated, so the second moderator has to decide again.
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
  const oldSettings = await findSettings(db, classId);
  if (oldSettings.version !== version) throw new AppError('SETTINGS_CHANGED');
  const now = Date.now();
  const quietTimes =
    changes.quietTimes
      ?.filter((quietTime) => !isOver(quietTime, now))
      .map((quietTime) => ({ ...quietTime, sentence: quietTime.sentence.trim() })) ??
    oldSettings.quietTimes;
  const newSettings: ClassSettings = {
    ...oldSettings,
    version: version + 1,
    slowModeSeconds: changes.slowModeSeconds ?? oldSettings.slowModeSeconds,
    readOnly: changes.readOnly ?? oldSettings.readOnly,
    picturesOff: changes.picturesOff ?? oldSettings.picturesOff,
    description: changes.description?.trim() ?? oldSettings.description,
    rules: changes.rules?.trim() ?? oldSettings.rules,
    pins: changes.pins ? await listPresentPins(db, classId, changes.pins) : oldSettings.pins,
    quietTimes,
  };
  await publishSettings(unitOfWork, classId, newSettings);
  const reason = Object.keys(changes).join(', ');
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason });
  return newSettings;
}

/**
 * Removes an erased message from the pins and from the screen of the hall. The version stays, so that a moderator can still save
 * changes. A deleted class keeps both, which have no effect.
 */
export async function forgetErased(unitOfWork: UnitOfWork, classId: string, messageId: string) {
  const settings = await findSettings(unitOfWork.db, classId);
  const { pins, lecture } = settings;
  const isPresented = lecture?.pollId === messageId;
  if (!isPresented && !pins.includes(messageId)) return;
  if (!(await findClass(unitOfWork.db, classId))) return;
  const newSettings = {
    ...settings,
    pins: pins.filter((id) => id !== messageId),
    ...(isPresented && { lecture: { ...lecture, pollId: undefined } }),
  };
  await publishSettings(unitOfWork, classId, newSettings, true);
}

/**
 * Ends the lecture that is on, and deletes its presenter links. So they are not valid again if the class ends and is reopened, or
 * is deleted and restored.
 *
 * @returns null if none is on
 * @throws {AppError} CLASS_ENDED
 */
export async function endLecture(unitOfWork: UnitOfWork, classId: string): Promise<Lecture | null> {
  const { db } = unitOfWork;
  await deletePresenterLinks(db, classId);
  const settings = await findSettings(db, classId);
  if (!isLectureOn(settings.lecture, Date.now())) return null;
  const lecture = { ...settings.lecture, lastSeq: await findHead(db, classId) };
  await publishSettings(unitOfWork, classId, { ...settings, lecture });
  return lecture;
}

/** @throws {AppError} NOT_FOUND, and CLASS_ENDED unless `allowEnded` is true */
export async function publishSettings(
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

/** Leaves out messages that were deleted while the moderator looked at the list. */
async function listPresentPins(
  db: Database,
  classId: string,
  pins: readonly string[],
): Promise<string[]> {
  const presentPins: string[] = [];
  for (const pin of pins) {
    const message = await findMessage(db, classId, pin);
    if (!message) throw new AppError('NOT_FOUND');
    if (!message.deleted && message.moderation !== 'removed') presentPins.push(pin);
  }
  return presentPins;
}
