// What the member chose for themselves in one class, as the server has it and as it is shown.
import type { Preferences, SavedPreferences } from '#contract/preferences.ts';
import type { RoomPreferences, ShownPreferences } from './room.ts';
import { createStore } from '#web/store.ts';

export interface OwnPreferences extends RoomPreferences {
  /** The server sends preferences before its reply to the subscription, unless there are none. */
  onSubscribe(): void;
  onSubscribed(): void;
  onFrame(saved: SavedPreferences): void;
  clear(): void;
}

const noPreferences: SavedPreferences = { ignored: [], hidden: [], muted: false, version: 0 };

/** @param onChange tells whether the server now counts other messages as unread */
export function createOwnPreferences(onChange: (isCountStale: boolean) => void): OwnPreferences {
  let savedPreferences = noPreferences;
  let unsaved: Preferences | null = null;
  let isReceived = false;
  const shownStore = createStore(toShown(noPreferences));

  function update(next: SavedPreferences, unsavedNext: Preferences | null): void {
    if (next === savedPreferences && unsavedNext === unsaved) return;
    const isCountStale =
      String(next.ignored) !== String(savedPreferences.ignored) ||
      String(next.mutedTopics) !== String(savedPreferences.mutedTopics);
    savedPreferences = next;
    unsaved = unsavedNext;
    shownStore.set(toShown(unsaved ?? savedPreferences));
    onChange(isCountStale);
  }

  return {
    subscribe: shownStore.subscribe,
    getSnapshot: shownStore.getSnapshot,
    saved: () => savedPreferences,
    show: (preferences) => update(savedPreferences, preferences),
    receive(next) {
      // A frame can be faster than the answer to a call.
      if (next.version > savedPreferences.version) update(next, unsaved);
    },
    onSubscribe() {
      isReceived = false;
    },
    onSubscribed() {
      if (!isReceived) update(noPreferences, unsaved);
    },
    onFrame(next) {
      isReceived = true;
      update(next, unsaved);
    },
    clear: () => update(noPreferences, null),
  };
}

function toShown({ ignored, hidden, muted, mutedTopics }: Preferences): ShownPreferences {
  return {
    ignored: new Set(ignored),
    hidden: new Set(hidden),
    muted,
    mutedTopics: new Set(mutedTopics),
  };
}
