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
  /** Brings a class up to date that is not on screen. Null: no class. */
  refresh(classId: string | null): void;
  /**
   * Lists the wanted classes, most important first.
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
      const fullIds = new Set([...openedIds.slice(0, maxFullClasses), ...unsentIds]);
      if (refreshedId !== null) fullIds.add(refreshedId);
      const allIds = new Set([...fullIds, ...openedIds, ...followedIds]);
      return [...allIds].map((classId) => ({ classId, isLight: !fullIds.has(classId) }));
    },
  };
}
