// Keeps the rooms of this tab on the device, and shows what is kept without a connection. It reads and restores the
// log replicas of the rooms: there is no second model.
import type { OfflineStorage } from './offline-storage.ts';
import { toOffline } from './offline-room.ts';
import type { Connection } from '#web/sync/engine/connection-status.ts';
import type { StorableRoom, OfflineAccess } from '#web/sync/room/room.ts';
import type { Store } from '#web/store.ts';

export interface OfflineRooms {
  /** The server sent the member's classes. Rooms of others and of ended ones are forgotten. */
  setClasses(classes: readonly { classId: string; ended: boolean }[]): void;
  /** Forgets all rooms. A class is kept again when it is opened again. */
  forget(): Promise<void>;
  /** Stores what is not stored yet. */
  flush(): void;
  stop(): void;
}

interface Dependencies {
  live: OfflineAccess;
  connection: Store<Connection>;
  storage: OfflineStorage;
  account: string;
  now(): number;
}

/** Changes within this time are stored together. */
const saveDelayMs = 1000;
/** After connecting, the class on screen comes first. The browsers of a class do not all ask together. */
const catchUpDelayMs = { min: 2000, max: 5000 };
/** A class that does not answer is tried again at the next connection. */
const catchUpTimeoutMs = 30_000;

type Timer = ReturnType<typeof setTimeout>;

export function startOfflineRooms(dependencies: Dependencies): OfflineRooms {
  const { live, connection, storage, account, now } = dependencies;
  /** What is stored of each class, or is being stored. */
  const storedRooms = new Map<string, StorableRoom>();
  const changedIds = new Set<string>();
  /** Null: the server has not sent the classes. */
  let allowedIds: ReadonlySet<string> | null = null;
  let saveTimer: Timer | null = null;
  let catchUpTimer: Timer | null = null;
  /** Continues when the room that is being caught up has changed. */
  let onRefreshed: (() => void) | null = null;
  let isCatchingUp = false;
  let isStopped = false;

  function onChange(classId: string): void {
    onRefreshed?.();
    const room = live.getRoom(classId);
    if (storedRooms.has(classId) && room.isBehind()) planCatchUp();
    const storable = room.toStorable();
    if (storable && isSame(storable, storedRooms.get(classId)) && !live.openedIds.has(classId)) {
      return;
    }
    changedIds.add(classId);
    saveTimer ??= setTimeout(flush, saveDelayMs);
  }

  function flush(): void {
    if (saveTimer) clearTimeout(saveTimer);
    saveTimer = null;
    const classIds = [...changedIds];
    changedIds.clear();
    for (const classId of classIds) void save(classId);
  }

  async function save(classId: string): Promise<void> {
    const room = live.getRoom(classId);
    if (isStopped) return;
    if (room.isGone() || allowedIds?.has(classId) === false) return forgetRoom(classId);
    const storable = room.toStorable();
    if (!storable || !allowedIds) return;
    const isNew = live.openedIds.delete(classId);
    if (!isNew && isSame(storable, storedRooms.get(classId))) return;
    storedRooms.set(classId, storable);
    try {
      const { epoch } = storable.replica;
      await storage.put({ ...toOffline(storable), classId, account, epoch, keptAt: now() }, isNew);
    } catch (error) {
      console.warn('A class could not be kept on this device.', error);
      // What is there may have been deleted meanwhile.
      await forgetRoom(classId);
    }
  }

  async function forgetRoom(classId: string): Promise<void> {
    storedRooms.delete(classId);
    await ignoreFailure(storage.remove([classId]));
  }

  /** Shows what is kept in all rooms that have nothing. */
  async function restore(): Promise<void> {
    for (const room of (await ignoreFailure(storage.list(account))) ?? []) {
      if (isStopped || connection.getSnapshot() === 'online') return;
      if (allowedIds?.has(room.classId) !== false) {
        live.getRoom(room.classId).restore(room, room.keptAt);
      }
    }
  }

  function planCatchUp(): void {
    if (isCatchingUp || catchUpTimer || connection.getSnapshot() !== 'online') return;
    const { min, max } = catchUpDelayMs;
    catchUpTimer = setTimeout(() => void catchUp(), min + Math.random() * (max - min));
  }

  /** Brings the kept rooms up to date that are not on screen, one at a time. */
  async function catchUp(): Promise<void> {
    catchUpTimer = null;
    isCatchingUp = true;
    const isOnline = () => !isStopped && connection.getSnapshot() === 'online';
    for (const keptRoom of (await ignoreFailure(storage.list(account))) ?? []) {
      const { classId } = keptRoom;
      const room = live.getRoom(classId);
      if (!isOnline()) break;
      if (allowedIds?.has(classId) === false || room.isGone()) {
        await forgetRoom(classId);
        continue;
      }
      if (!room.isBehind()) continue;
      room.restore(keptRoom, keptRoom.keptAt);
      live.refresh(classId);
      await waitUntil(() => !room.isBehind() || room.isGone() || !isOnline());
      await save(classId);
    }
    live.refresh(null);
    isCatchingUp = false;
    // Something may have been taken away from a class after its turn.
    if ([...storedRooms.keys()].some((classId) => live.getRoom(classId).isBehind())) planCatchUp();
  }

  function waitUntil(isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        onRefreshed = null;
        resolve();
      };
      const timer = setTimeout(end, catchUpTimeoutMs);
      onRefreshed = () => isDone() && end();
      onRefreshed();
    });
  }

  function onConnection(): void {
    onRefreshed?.();
    if (connection.getSnapshot() === 'online') planCatchUp();
    else void restore();
  }

  const unsubscribe = [live.onChange(onChange), connection.subscribe(onConnection)];
  onConnection();

  return {
    setClasses(classes) {
      allowedIds = new Set(classes.filter(({ ended }) => !ended).map(({ classId }) => classId));
      for (const classId of new Set([...live.openedIds, ...storedRooms.keys()])) {
        changedIds.add(classId);
      }
      saveTimer ??= setTimeout(flush, saveDelayMs);
      planCatchUp();
    },
    async forget() {
      live.openedIds.clear();
      changedIds.clear();
      storedRooms.clear();
      await storage.clear();
    },
    flush,
    stop() {
      isStopped = true;
      for (const end of unsubscribe) end();
      for (const timer of [saveTimer, catchUpTimer]) if (timer) clearTimeout(timer);
      onRefreshed?.();
    },
  };
}

function isSame(storable: StorableRoom, previousRoom: StorableRoom | undefined): boolean {
  return (
    storable.replica === previousRoom?.replica &&
    storable.preferences === previousRoom.preferences &&
    storable.sanction === previousRoom.sanction &&
    storable.staff === previousRoom.staff
  );
}

/** The live room works without the store. */
async function ignoreFailure<Value>(attempt: Promise<Value>): Promise<Value | null> {
  try {
    return await attempt;
  } catch (error) {
    console.warn('What this device keeps cannot be read or changed.', error);
    return null;
  }
}
