// Which classes have a notification that was not opened yet: there is at most one for each class of an account.
import type { NewMessage } from '#server/chat/messages/new-messages.ts';

export interface OpenNotification {
  readonly accountId: string;
  readonly classId: string;
  messages: readonly NewMessage[];
}

export interface OpenNotifications {
  /**
   * @returns the notification, which the caller sends; null if there is one already. As long as that one is not shown
   *   anywhere, the messages are added to it.
   */
  add(accountId: string, classId: string, messages: readonly NewMessage[]): OpenNotification | null;
  /** An attempt to show it on a device begins. */
  begin(notification: OpenNotification): void;
  /** The attempt is over. If it is not shown anywhere, the next message notifies again. */
  end(notification: OpenNotification): void;
  isOpen(notification: OpenNotification): boolean;
  setShown(notification: OpenNotification, sessionId: string): void;
  /** A push closed these outdated notifications on the device. */
  setClosed(sessionId: string, classIds: readonly string[]): void;
  /** The class was opened on a device of the account. */
  close(accountId: string, classId: string): void;
  isReadBy(accountId: string, classId: string, seq: number): boolean;
  /** The classes whose notifications on this device are outdated, except this class, which gets a new one. */
  listOutdated(sessionId: string, classId: string | null): string[];
}

interface State extends OpenNotification {
  attempts: number;
  shownOn: Set<string>;
}

const maxMessages = 20;
/** Above it, the oldest are forgotten: such a class notifies once more. */
const maxNotifications = 100_000;
const maxDevices = 50_000;
const maxOutdated = 10; // PUSH-19

export function createOpenNotifications(): OpenNotifications {
  const states = new Map<string, State>();
  const outdated = new Map<string, Set<string>>();
  const toKey = (accountId: string, classId: string) => `${accountId} ${classId}`;
  const findState = ({ accountId, classId }: OpenNotification) => {
    return states.get(toKey(accountId, classId));
  };

  function setOutdated(sessionId: string, classId: string): void {
    const classIds = outdated.get(sessionId) ?? new Set();
    outdated.delete(sessionId);
    outdated.set(sessionId, classIds);
    dropOldest(outdated, maxDevices);
    classIds.add(classId);
    const [oldest] = classIds;
    if (classIds.size > maxOutdated && oldest !== undefined) classIds.delete(oldest);
  }

  function setClosed(sessionId: string, classIds: readonly string[]): void {
    const ofDevice = outdated.get(sessionId);
    for (const classId of classIds) ofDevice?.delete(classId);
    if (ofDevice?.size === 0) outdated.delete(sessionId);
  }

  return {
    add(accountId, classId, messages) {
      const key = toKey(accountId, classId);
      const knownState = states.get(key);
      if (knownState?.shownOn.size === 0) {
        knownState.messages = [...knownState.messages, ...messages].slice(-maxMessages);
      }
      if (knownState) return null;
      const state = { accountId, classId, messages: messages.slice(-maxMessages) };
      const newState: State = { ...state, attempts: 0, shownOn: new Set() };
      states.set(key, newState);
      dropOldest(states, maxNotifications);
      return newState;
    },
    begin(notification) {
      const state = findState(notification);
      if (state) state.attempts += 1;
    },
    end(notification) {
      const state = findState(notification);
      if (!state || state !== notification) return;
      state.attempts -= 1;
      if (state.attempts === 0 && state.shownOn.size === 0) {
        states.delete(toKey(state.accountId, state.classId));
      }
    },
    isOpen: (notification) => findState(notification) === notification,
    setShown(notification, sessionId) {
      const { classId } = notification;
      setClosed(sessionId, [classId]);
      const state = findState(notification);
      if (state && state === notification) state.shownOn.add(sessionId);
      // It was opened on another device while it was on its way.
      else setOutdated(sessionId, classId);
    },
    setClosed,
    close(accountId, classId) {
      const state = states.get(toKey(accountId, classId));
      if (!state) return;
      states.delete(toKey(accountId, classId));
      for (const sessionId of state.shownOn) setOutdated(sessionId, classId);
    },
    isReadBy(accountId, classId, seq) {
      const messages = states.get(toKey(accountId, classId))?.messages ?? [];
      return messages.length > 0 && messages.every((message) => message.seq <= seq);
    },
    listOutdated(sessionId, classId) {
      return [...(outdated.get(sessionId) ?? [])].filter((outdatedId) => outdatedId !== classId);
    },
  };
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
