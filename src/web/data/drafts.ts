// Unsent text per class. Memory keeps a copy, because browser storage can be full or forbidden.
const held = new Map<string, string>();
/** Class id → id of the message that the draft replies to. */
const replies = new Map<string, string>();
/** Message id → unsaved edit. */
const edits = new Map<string, { classId: string; text: string }>();

const keyOf = (classId: string) => `draft:${classId}`;

export function readDraft(classId: string): string {
  return held.get(classId) ?? sessionStorage.getItem(keyOf(classId)) ?? '';
}

export function keepDraft(classId: string, text: string): void {
  held.set(classId, text);
  try {
    if (text) sessionStorage.setItem(keyOf(classId), text);
    else sessionStorage.removeItem(keyOf(classId));
  } catch {
    // Storage is full. Memory still has the draft.
  }
}

export function forgetDraft(classId: string): void {
  keepDraft(classId, '');
  held.delete(classId);
  replies.delete(classId);
  for (const [messageId, edit] of edits) if (edit.classId === classId) edits.delete(messageId);
}

export function readReply(classId: string): string | null {
  return replies.get(classId) ?? null;
}

export function keepReply(classId: string, messageId: string | null): void {
  if (messageId === null) replies.delete(classId);
  else replies.set(classId, messageId);
}

export function readEdit(messageId: string): string | null {
  return edits.get(messageId)?.text ?? null;
}

export function keepEdit(classId: string, messageId: string, text: string): void {
  edits.set(messageId, { classId, text });
}

export function forgetEdit(messageId: string): void {
  edits.delete(messageId);
}

/** Clears all drafts at sign-out, because another person may sign in next. */
export function forgetDrafts(): void {
  for (const classId of [...held.keys()]) forgetDraft(classId);
  replies.clear();
  edits.clear();
}
