// What was typed and not sent, per class. Also in memory: storage can be full or forbidden.
const held = new Map<string, string>();
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
    // Full: the memory has it.
  }
}

export function forgetDraft(classId: string): void {
  keepDraft(classId, '');
  held.delete(classId);
}

/** Another person may sign in next. */
export function forgetDrafts(): void {
  for (const classId of [...held.keys()]) forgetDraft(classId);
}
