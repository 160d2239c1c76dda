// Unsent text per class, the same in all tabs of this browser. Memory keeps a copy, because storage can be full.
import { useSyncExternalStore } from 'react';
import type { ClassSettings } from '#contract/entities.ts';
import { createListeners } from '#web/store.ts';
import { guardReload } from './reload-guard.ts';
import { clearStoredDrafts, endedKey, onSessionEnd } from './session-end.ts';
import { settings } from './settings.ts';
import type { NewPoll } from '#web/sync/outbox/outbox-storage.ts';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { browserStorage, browserTabStorage } from '#web/sync/engine/tab-storage.ts';
import { toSpeakerKey } from '#web/sync/room/speaker.ts';
import {
  appendMention,
  type DraftMention,
  type MentionDraft,
  type MentionedMember,
} from './mention-draft.ts';

const texts = new Map<string, string>();
/** Class id → the members whom the draft mentions. */
const mentions = new Map<string, readonly DraftMention[]>();
/** Class id → whether the member asks the draft as a question. */
const questionMarks = new Map<string, boolean>();
/** Class id → the message that the draft replies to. */
export const replyDrafts = new Map<string, RoomMessage>();
/** Class id → the unsaved name and icon of the member. */
export const personaDrafts = new Map<string, PersonaDraft>();
/** Class id → the unsaved changes of a moderator. */
export const settingsDrafts = new Map<string, SettingsDraft>();
/** Class id → the poll that is not asked yet. */
export const pollDrafts = new Map<string, PollDraft>();
const draftMaps = [replyDrafts, personaDrafts, settingsDrafts, pollDrafts];
/** Message id → unsaved edit. */
const edits = new Map<string, { classId: string; draft: MentionDraft }>();

export interface PersonaDraft {
  typed: string;
  icon: string;
}

export interface SettingsDraft {
  /** The settings that the changes start from. */
  base: ClassSettings;
  changes: Partial<Omit<ClassSettings, 'version' | 'lecture' | 'topics'>>;
}

export interface PollDraft {
  /** The text in the message field, with which the question began. */
  startText: string;
  question: string;
  options: readonly string[];
  several: boolean;
  resultsAfter: NewPoll['resultsAfter'];
  /** The minutes until the poll closes, or 'own' for `closesAt`. */
  closing: string;
  closesAt: string;
}

const toStorageKey = (classId: string) => `draft:${classId}`;
const toMentionsKey = (classId: string) => `draft-mentions:${classId}`;
const toQuestionKey = (classId: string) => `draft-question:${classId}`;

/**
 * Whether the draft is for the anonymous persona. A draft as staff stays in its tab, because another tab could send it
 * under the other name.
 */
const isShared = (classId: string) => browserTabStorage.read(toSpeakerKey(classId)) !== 'staff';

/** A tab of an earlier version can have left a draft in its own storage. */
function loadStoredText(classId: string, key: string): string | null {
  return browserTabStorage.read(key) ?? (isShared(classId) ? browserStorage.read(key) : null);
}

/**
 * Whether drafts are stored. On a shared computer they are only in memory: Chromium leaves a removed text in the files of
 * localStorage, also after a sign-out.
 */
const canStore = () => settings.getSnapshot().keepMessages === 'on';

function writeStoredText(classId: string, key: string, text: string | null): void {
  const isForAllTabs = isShared(classId);
  const storedText = canStore() ? text : null;
  browserTabStorage.write(key, isForAllTabs ? null : storedText);
  if (isForAllTabs) browserStorage.write(key, storedText);
}

// Another tab of this browser changed a draft.
addEventListener('storage', ({ key, newValue }) => {
  if (newValue === null && localStorage.getItem(endedKey)) return;
  const [, classId] = /^draft(?:-question)?:(.+)/.exec(key ?? '') ?? [];
  if (classId) readAgain(classId);
});

// A tab that stood still has not learned what another one has sent.
document.addEventListener('resume', readAllAgain);
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) readAllAgain();
});

function readAllAgain(): void {
  if (!canStore() || localStorage.getItem(endedKey)) return;
  for (const classId of [...texts.keys()]) readAgain(classId);
}

function readAgain(classId: string): void {
  if (!isShared(classId)) return;
  texts.delete(classId);
  mentions.delete(classId);
  questionMarks.delete(classId);
  draftListeners.notify();
}

// Stored texts and their mentions survive a reload.
guardReload(
  () =>
    [...draftMaps, edits].some(({ size }) => size > 0) ||
    (!canStore() && [...texts.values()].some((text) => text !== '')),
);

/** Class id → how often its draft was changed outside of the message field. */
const restoredCounts = new Map<string, number>();
const draftListeners = createListeners();

export function loadDraft(classId: string): string {
  const cachedText = texts.get(classId);
  if (cachedText !== undefined) return cachedText;
  const storedText = loadStoredText(classId, toStorageKey(classId)) ?? '';
  texts.set(classId, storedText);
  return storedText;
}

/** Follows the draft of a class. */
export function useDraft(classId: string): string {
  return useSyncExternalStore(draftListeners.add, () => loadDraft(classId));
}

export function saveDraft(classId: string, text: string): void {
  takeStaffDraft(classId);
  texts.set(classId, text);
  writeStoredText(classId, toStorageKey(classId), text || null);
  draftListeners.notify();
}

/** Takes the draft and its mark from the other tabs if they have it from before it became one as staff. */
function takeStaffDraft(classId: string): void {
  const sharedText = browserStorage.read(toStorageKey(classId)) ?? '';
  if (isShared(classId) || sharedText !== texts.get(classId)) return;
  const mark = isQuestionDraft(classId) ? 'yes' : null;
  browserTabStorage.write(toStorageKey(classId), sharedText || null);
  browserTabStorage.write(toQuestionKey(classId), mark);
  browserStorage.write(toStorageKey(classId), null);
  browserStorage.write(toQuestionKey(classId), null);
}

export function isQuestionDraft(classId: string): boolean {
  const isQuestion =
    questionMarks.get(classId) ?? loadStoredText(classId, toQuestionKey(classId)) !== null;
  questionMarks.set(classId, isQuestion);
  return isQuestion;
}

/** Whether the member asks the draft of a class as a question. */
export function useQuestionDraft(classId: string): boolean {
  return useSyncExternalStore(draftListeners.add, () => isQuestionDraft(classId));
}

export function saveQuestionDraft(classId: string, isQuestion: boolean): void {
  takeStaffDraft(classId);
  questionMarks.set(classId, isQuestion);
  writeStoredText(classId, toQuestionKey(classId), isQuestion ? 'yes' : null);
  draftListeners.notify();
}

/**
 * The draft of what only staff will read. It is stored apart from the draft of the class, so that nothing can post it there:
 * no lost mark, no failed send, and no tab of an earlier version.
 */
export const toPrivateDraft = (id: string) => `private:${id}`;

/** Counts the changes of a class's draft outside of its message field: a new field must show them. */
export function useRestoredDraftCount(classId: string): number {
  return useSyncExternalStore(draftListeners.add, () => restoredCounts.get(classId) ?? 0);
}

/** Puts a text into the empty message field of a class. @returns false if the member is writing something else */
export function restoreDraft(classId: string, draft: MentionDraft): boolean {
  if (loadDraft(classId).trim() !== '') return false;
  replaceDraft(classId, draft);
  return true;
}

/** Appends a mention to the text in the message field of a class. */
export function mentionInDraft(classId: string, member: MentionedMember): void {
  replaceDraft(classId, appendMention(loadMentionDraft(classId), member));
}

function replaceDraft(classId: string, draft: MentionDraft): void {
  saveMentionDraft(classId, draft);
  restoredCounts.set(classId, (restoredCounts.get(classId) ?? 0) + 1);
  draftListeners.notify();
}

/** The draft with the members whom it mentions. */
export function loadMentionDraft(classId: string): MentionDraft {
  const text = loadDraft(classId);
  const draftMentions = mentions.get(classId) ?? loadMentions(classId);
  // If only one of the two could be stored, they do not fit.
  return { text, mentions: draftMentions.filter(({ at, label }) => text.startsWith(label, at)) };
}

function loadMentions(classId: string): readonly DraftMention[] {
  return JSON.parse(loadStoredText(classId, toMentionsKey(classId)) ?? '[]') as DraftMention[];
}

export function saveMentionDraft(classId: string, draft: MentionDraft): void {
  const previousMentions = mentions.get(classId) ?? [];
  mentions.set(classId, draft.mentions);
  if (previousMentions.length > 0 || draft.mentions.length > 0) {
    writeStoredText(classId, toMentionsKey(classId), JSON.stringify(draft.mentions));
  }
  // Last, because other tabs then read both.
  saveDraft(classId, draft.text);
}

export function clearDraft(classId: string): void {
  texts.delete(classId);
  mentions.delete(classId);
  questionMarks.delete(classId);
  for (const storage of [browserTabStorage, browserStorage]) {
    storage.write(toStorageKey(classId), null);
    storage.write(toMentionsKey(classId), null);
    storage.write(toQuestionKey(classId), null);
  }
  for (const drafts of draftMaps) drafts.delete(classId);
  for (const [messageId, edit] of edits) if (edit.classId === classId) edits.delete(messageId);
  draftListeners.notify();
}

export function findEdit(messageId: string): MentionDraft | null {
  return edits.get(messageId)?.draft ?? null;
}

export function saveEdit(classId: string, messageId: string, draft: MentionDraft): void {
  edits.set(messageId, { classId, draft });
}

export function clearEdit(messageId: string): void {
  edits.delete(messageId);
}

/** Clears all drafts at sign-out, because another person may sign in next. */
export function clearAllDrafts(): void {
  for (const classId of [...texts.keys()]) clearDraft(classId);
  clearStoredDrafts();
  questionMarks.clear();
  for (const drafts of draftMaps) drafts.clear();
  edits.clear();
}

onSessionEnd((isPageKept) => {
  if (!isPageKept) clearAllDrafts();
});
