// Unsent text per class. Memory keeps a copy, because browser storage can be full or forbidden.
import { useSyncExternalStore } from 'react';
import type { ClassSettings, Persona } from '#contract/entities.ts';
import { createListeners } from '#web/store.ts';
import { guardReload } from './reload-guard.ts';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { browserTabStorage } from '#web/sync/engine/tab-storage.ts';
import { appendMention, type DraftMention, type MentionDraft } from './mention-draft.ts';

const texts = new Map<string, string>();
/** Class id → the members whom the draft mentions. */
const mentions = new Map<string, readonly DraftMention[]>();
/** Class id → the message that the draft replies to. */
const replies = new Map<string, RoomMessage>();
/** Class id → the unsaved name and icon of the member. */
const personas = new Map<string, PersonaDraft>();
/** Class id → the unsaved changes of a moderator. */
const settings = new Map<string, SettingsDraft>();
/** Message id → unsaved edit. */
const edits = new Map<string, { classId: string; draft: MentionDraft }>();

export interface PersonaDraft {
  typed: string;
  icon: string;
}

export interface SettingsDraft {
  /** The settings that the changes start from. */
  base: ClassSettings;
  changes: Partial<Omit<ClassSettings, 'version'>>;
}

const toStorageKey = (classId: string) => `draft:${classId}`;
const toMentionsKey = (classId: string) => `draft-mentions:${classId}`;

// Texts and their mentions survive a reload.
guardReload(() => [replies, personas, settings, edits].some(({ size }) => size > 0));

/** Class id → how often its draft was changed outside of the message field. */
const restoredCounts = new Map<string, number>();
const draftListeners = createListeners();

export function loadDraft(classId: string): string {
  const cachedText = texts.get(classId);
  if (cachedText !== undefined) return cachedText;
  const storedText = browserTabStorage.read(toStorageKey(classId)) ?? '';
  texts.set(classId, storedText);
  return storedText;
}

/** Follows the draft of a class. */
export function useDraft(classId: string): string {
  return useSyncExternalStore(draftListeners.add, () => loadDraft(classId));
}

export function saveDraft(classId: string, text: string): void {
  texts.set(classId, text);
  browserTabStorage.write(toStorageKey(classId), text || null);
  draftListeners.notify();
}

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
export function mentionInDraft(classId: string, persona: Persona): void {
  replaceDraft(classId, appendMention(loadMentionDraft(classId), persona));
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
  return JSON.parse(browserTabStorage.read(toMentionsKey(classId)) ?? '[]') as DraftMention[];
}

export function saveMentionDraft(classId: string, draft: MentionDraft): void {
  saveDraft(classId, draft.text);
  const previousMentions = mentions.get(classId) ?? [];
  mentions.set(classId, draft.mentions);
  if (previousMentions.length === 0 && draft.mentions.length === 0) return;
  browserTabStorage.write(toMentionsKey(classId), JSON.stringify(draft.mentions));
}

export function clearDraft(classId: string): void {
  saveDraft(classId, '');
  texts.delete(classId);
  mentions.delete(classId);
  browserTabStorage.write(toMentionsKey(classId), null);
  replies.delete(classId);
  personas.delete(classId);
  settings.delete(classId);
  for (const [messageId, edit] of edits) if (edit.classId === classId) edits.delete(messageId);
}

export function findReply(classId: string): RoomMessage | null {
  return replies.get(classId) ?? null;
}

export function saveReply(classId: string, message: RoomMessage | null): void {
  if (message === null) replies.delete(classId);
  else replies.set(classId, message);
}

export function findPersonaDraft(classId: string): PersonaDraft | null {
  return personas.get(classId) ?? null;
}

export function savePersonaDraft(classId: string, draft: PersonaDraft | null): void {
  if (draft === null) personas.delete(classId);
  else personas.set(classId, draft);
}

export function findSettingsDraft(classId: string): SettingsDraft | null {
  return settings.get(classId) ?? null;
}

export function saveSettingsDraft(classId: string, draft: SettingsDraft | null): void {
  if (draft === null) settings.delete(classId);
  else settings.set(classId, draft);
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
  replies.clear();
  personas.clear();
  settings.clear();
  edits.clear();
}
