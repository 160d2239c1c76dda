// As whom the member writes the next message of a class: the choice belongs to the draft of this tab.
import { createStore, type Store } from '#web/store.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';

/** `unset`: the member has just spoken as staff and must choose again, so that no message goes out under the wrong name. */
export type Speaker = 'self' | 'staff' | 'unset';

export interface SpeakerChoice extends Store<Speaker> {
  set(speaker: Speaker): void;
}

export const toSpeakerKey = (classId: string) => `speaker:${classId}`;

export function createSpeakerChoice(classId: string, tabStorage: TabStorage): SpeakerChoice {
  const key = toSpeakerKey(classId);
  const storedSpeaker = tabStorage.read(key);
  const store = createStore<Speaker>(
    storedSpeaker === 'staff' || storedSpeaker === 'unset' ? storedSpeaker : 'self',
  );
  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    set(speaker) {
      store.set(speaker);
      tabStorage.write(key, speaker === 'self' ? null : speaker);
    },
  };
}
