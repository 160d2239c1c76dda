// What a process holds in memory of a member who has left.
import type { PreferenceStore } from './preferences.ts';
import type { ReadMarks } from './read-marks.ts';

interface Dependencies {
  readMarks: Pick<ReadMarks, 'readerOf' | 'delete'>;
  preferences: Pick<PreferenceStore, 'ownerOf' | 'forget'>;
}

export function forgetMember(
  { readMarks, preferences }: Dependencies,
  { accountId, classId, salt }: { accountId: string; classId: string; salt: string },
): void {
  readMarks.delete(readMarks.readerOf(classId, salt, accountId));
  preferences.forget(preferences.ownerOf(classId, salt, accountId));
}
