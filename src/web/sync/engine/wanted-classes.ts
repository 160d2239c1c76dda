// Which classes this tab subscribes to, and how: fully to the last ones on screen, lightly to the others that it follows.
import type { WantedClass } from './subscriptions.ts';

/** Going back to one of the last opened classes loads nothing. */
const maxFullClasses = 8; // WIRE-42

export interface WantedClasses {
  /** The class comes on screen. @returns false if it was there */
  open(classId: string): boolean;
  /** The class that came on screen last. */
  current(): string | undefined;
  /** Replaces the followed classes. */
  follow(classIds: readonly string[]): void;
  /** Brings this class up to date, although it is not on screen. Null ends that. */
  refresh(classId: string | null): void;
  /**
   * Lists them, most important first.
   *
   * @param unsentIds the classes with messages that are not sent: their acknowledgements need the log
   */
  list(unsentIds: readonly string[]): WantedClass[];
}

export function createWantedClasses(): WantedClasses {
  /** Most recent first. */
  let openedIds: readonly string[] = [];
  let followedIds: readonly string[] = [];
  let refreshedId: string | null = null;
  return {
    open(classId) {
      if (openedIds[0] === classId) return false;
      openedIds = [classId, ...openedIds.filter((other) => other !== classId)];
      return true;
    },
    current: () => openedIds[0],
    follow(classIds) {
      followedIds = classIds;
    },
    refresh(classId) {
      refreshedId = classId;
    },
    list(unsentIds) {
      const full = new Set([...openedIds.slice(0, maxFullClasses), ...unsentIds]);
      if (refreshedId !== null) full.add(refreshedId);
      const all = new Set([...full, ...openedIds, ...followedIds]);
      return [...all].map((classId) => ({ classId, isLight: !full.has(classId) }));
    },
  };
}
