// Lists of ids that this browser keeps in localStorage, the same in all tabs. Signing out forgets them.
import { createStore, type Store } from '#web/store.ts';

const maxIds = 1000;

export interface StoredIds extends Store<readonly string[]> {
  /** Adds the ids in all tabs of this browser. */
  add(ids: readonly string[]): void;
  /** Whether ids were added since the sign-in, even none. */
  isStored(): boolean;
}

export function createStoredIds(storageKey: string): StoredIds {
  const loadIds = (): readonly string[] =>
    (localStorage.getItem(storageKey) ?? '').split(' ').filter((id) => id !== '');
  const { subscribe, getSnapshot, set } = createStore(loadIds());
  let isStored = localStorage.getItem(storageKey) !== null;
  addEventListener('storage', ({ key }) => {
    // A sign-out in another tab clears the storage: the key is then null.
    if (key !== storageKey && key !== null) return;
    isStored = localStorage.getItem(storageKey) !== null;
    set(loadIds());
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
      isStored = true;
      set(ids);
    },
    isStored: () => isStored,
  };
}
