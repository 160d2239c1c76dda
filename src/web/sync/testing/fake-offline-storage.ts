// For tests: what a browser keeps on the device, as offline-storage.ts stores it in IndexedDB.
import type { OfflineRoom } from '#web/sync/offline/offline-room.ts';
import {
  type OfflineStorage,
  canReplace,
  type StoredAnswers,
} from '#web/sync/offline/offline-storage.ts';

export interface FakeOfflineStorage extends OfflineStorage {
  readonly rooms: Map<string, OfflineRoom>;
  /** The browser has no room for more. */
  isFull: boolean;
}

export function createFakeOfflineStorage(): FakeOfflineStorage {
  const rooms = new Map<string, OfflineRoom>();
  let answers: StoredAnswers | null = null;
  const storage: FakeOfflineStorage = {
    rooms,
    isFull: false,
    loadAnswers: () => Promise.resolve(answers),
    putAnswers(next) {
      if (answers && answers.account !== next.account) rooms.clear();
      answers = structuredClone(next);
      return Promise.resolve();
    },
    list: (account) =>
      Promise.resolve(
        structuredClone([...rooms.values()].filter((room) => room.account === account)),
      ),
    async put(room, isNew) {
      await Promise.resolve();
      if (storage.isFull) throw new DOMException('It is full.', 'QuotaExceededError');
      if (answers?.account !== room.account) return;
      if (canReplace(rooms.get(room.classId), room, isNew)) {
        rooms.set(room.classId, structuredClone(room));
      }
    },
    remove(classIds) {
      for (const classId of classIds) rooms.delete(classId);
      return Promise.resolve();
    },
    clear() {
      rooms.clear();
      return Promise.resolve();
    },
  };
  return storage;
}
