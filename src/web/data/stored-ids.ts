// Lists of ids that this browser keeps in localStorage, the same in all tabs. Signing out forgets them.
import { createStore, type Store } from '#web/store.ts';

const maxIds = 1000;

export interface StoredIds extends Store<readonly string[]> {
  /** Adds the ids in all tabs of this browser. */
  add(ids: readonly string[]): void;
}

export function createStoredIds(storageKey: string): StoredIds {
  const loadIds = (): readonly string[] =>
    (localStorage.getItem(storageKey) ?? '').split(' ').filter((id) => id !== '');
  const { subscribe, getSnapshot, set } = createStore(loadIds());
  addEventListener('storage', ({ key }) => {
    // A sign-out in another tab clears the storage: the key is then null.
    if (key === storageKey || key === null) set(loadIds());
  });
  return {
    subscribe,
    getSnapshot,
    add(addedIds) {
      // Another tab may have added others meanwhile.
      const ids = [...new Set([...addedIds, ...loadIds()])].slice(0, maxIds);
      try {
        localStorage.setItem(storageKey, ids.join(' '));
      } catch {
        // Storage is full. The ids stay in this tab.
      }
      set(ids);
    },
  };
}
