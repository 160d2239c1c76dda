// Stores unsent deletions in localStorage, one entry per message, so that tabs do not overwrite each other's.
import type { DeletionStorage, StoredDeletion } from './pending-deletions.ts';

const prefix = 'deletion:';

export const deletionStorage: DeletionStorage = {
  list() {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
    return names.flatMap((name) => parse(localStorage.getItem(name)) ?? []);
  },
  put(deletion) {
    try {
      localStorage.setItem(prefix + deletion.messageId, JSON.stringify(deletion));
    } catch {
      // Storage is full. The tab still sends the deletion, also when it is closed.
    }
  },
  remove: (messageId) => localStorage.removeItem(prefix + messageId),
};

function parse(text: string | null): StoredDeletion | null {
  try {
    const { account, classId, messageId, dueAt } = JSON.parse(text ?? '') as StoredDeletion;
    return { account, classId, messageId, dueAt };
  } catch {
    return null;
  }
}
