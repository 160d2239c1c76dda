// As whom the member writes in a class. The choice stays in this tab, until it closes.
import { createStore, type Store } from '#web/store.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';

/** `unset`: the member may speak as staff and has not chosen in this tab, so that no message goes out under the wrong name. */
export type Speaker = 'self' | 'staff' | 'unset';

export interface SpeakerChoice extends Store<Speaker> {
  /** Null forgets the choice. */
  set(speaker: Exclude<Speaker, 'unset'> | null): void;
}

export const toSpeakerKey = (classId: string) => `speaker:${classId}`;

export function createSpeakerChoice(
  classId: string,
  tabStorage: TabStorage,
  maySpeakAsStaff: () => boolean,
): SpeakerChoice {
  const key = toSpeakerKey(classId);
  const storedSpeaker = tabStorage.read(key);
  const store = createStore<'self' | 'staff' | null>(
    storedSpeaker === 'staff' || storedSpeaker === 'self' ? storedSpeaker : null,
  );
  return {
    subscribe: store.subscribe,
    getSnapshot: () => store.getSnapshot() ?? (maySpeakAsStaff() ? 'unset' : 'self'),
    set(speaker) {
      store.set(speaker);
      tabStorage.write(key, speaker);
    },
  };
}
