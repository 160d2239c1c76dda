// Keeps the rooms of this tab on the device, and shows what is kept without a connection. It reads and restores the
// log replicas of the rooms: there is no second model.
import type { OfflineStorage } from './offline-storage.ts';
import { type OfflineRoom, toOffline } from './offline-room.ts';
import type { Connection } from '#web/sync/engine/connection-status.ts';
import type { StorableRoom, OfflineAccess } from '#web/sync/room/room.ts';
import type { Store } from '#web/store.ts';

interface Dependencies {
  live: OfflineAccess;
  connection: Store<Connection>;
  storage: OfflineStorage;
  account: string;
  now(): number;
}

/** Changes of a stored class within this time are stored together. */
const saveDelayMs = 1000;
/** After connecting, the class on screen comes first. The browsers of a class do not all ask together. */
const catchUpDelayMs = { min: 2000, max: 5000 };
/** A class that does not answer is tried again at the next connection. */
const catchUpTimeoutMs = 30_000;

type Timer = ReturnType<typeof setTimeout>;

export class OfflineRooms {
  readonly #live: OfflineAccess;
  readonly #connection: Store<Connection>;
  readonly #storage: OfflineStorage;
  readonly #account: string;
  readonly #now: () => number;
  readonly #unsubscribers: readonly (() => void)[];
  /** What is stored of each class, or is being stored. */
  readonly #storedRooms = new Map<string, StorableRoom>();
  readonly #changedIds = new Set<string>();
  /** Null: the server has not sent the classes. */
  #allowedIds: ReadonlySet<string> | null = null;
  #saveTimer: Timer | null = null;
  #catchUpTimer: Timer | null = null;
  /** Continues when the room that is being caught up has changed. */
  #onRefreshed: (() => void) | null = null;
  #isCatchingUp = false;
  #isStopped = false;

  /** Starts to keep rooms, and shows what is kept if there is no connection. */
  constructor({ live, connection, storage, account, now }: Dependencies) {
    this.#live = live;
    this.#connection = connection;
    this.#storage = storage;
    this.#account = account;
    this.#now = now;
    this.#unsubscribers = [
      live.onChange((classId) => this.#onChange(classId)),
      connection.subscribe(() => this.#onConnection()),
    ];
    this.#onConnection();
  }

  /** The server sent the member's classes. Rooms of others and of ended ones are forgotten. */
  setClasses(classes: readonly { classId: string; ended: boolean }[]): void {
    const runningClasses = classes.filter(({ ended }) => !ended);
    this.#allowedIds = new Set(runningClasses.map(({ classId }) => classId));
    for (const classId of [...this.#live.openedIds, ...this.#storedRooms.keys()]) {
      this.#changedIds.add(classId);
    }
    this.flush();
    this.#planCatchUp();
  }

  /** Forgets all rooms. A class is kept again when it is opened again. */
  async forget(): Promise<void> {
    this.#live.openedIds.clear();
    this.#changedIds.clear();
    this.#storedRooms.clear();
    await this.#storage.clear();
  }

  /** Stores what is not stored yet. */
  flush(): void {
    if (this.#saveTimer) clearTimeout(this.#saveTimer);
    this.#saveTimer = null;
    const classIds = [...this.#changedIds];
    this.#changedIds.clear();
    for (const classId of classIds) void this.#save(classId);
  }

  stop(): void {
    this.#isStopped = true;
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    for (const timer of [this.#saveTimer, this.#catchUpTimer]) if (timer) clearTimeout(timer);
    this.#onRefreshed?.();
  }

  #onChange(classId: string): void {
    this.#onRefreshed?.();
    const room = this.#live.getRoom(classId);
    if (this.#storedRooms.has(classId) && room.isBehind()) this.#planCatchUp();
    const storable = room.toStorable();
    const isStored = storable && isSame(storable, this.#storedRooms.get(classId));
    if (isStored && !this.#live.openedIds.has(classId)) return;
    this.#changedIds.add(classId);
    const isFirst = storable !== null && !this.#storedRooms.has(classId);
    // The page may end, and the connection with it, soon after the class was opened.
    if (isFirst) this.flush();
    else this.#planSave();
  }

  #onConnection(): void {
    this.#onRefreshed?.();
    if (this.#isOnline()) this.#planCatchUp();
    else void this.#restore();
  }

  #isOnline(): boolean {
    return this.#connection.getSnapshot() === 'online';
  }

  /** Whether the server has sent the classes, and this one is not among them or has ended. */
  #isForbidden(classId: string): boolean {
    return this.#allowedIds?.has(classId) === false;
  }

  #planSave(): void {
    this.#saveTimer ??= setTimeout(() => this.flush(), saveDelayMs);
  }

  async #save(classId: string): Promise<void> {
    const room = this.#live.getRoom(classId);
    if (this.#isStopped) return;
    if (room.isGone() || this.#isForbidden(classId)) return this.#forgetRoom(classId);
    const storable = room.toStorable();
    if (!storable || !this.#allowedIds) return;
    const isNew = this.#live.openedIds.delete(classId);
    if (!isNew && isSame(storable, this.#storedRooms.get(classId))) return;
    this.#storedRooms.set(classId, storable);
    try {
      const keptRoom = {
        ...toOffline(storable),
        classId,
        account: this.#account,
        epoch: storable.replica.epoch,
        keptAt: this.#now(),
      };
      await this.#storage.put(keptRoom, isNew);
    } catch (error) {
      console.warn('A class could not be kept on this device.', error);
      // What is there may have been deleted meanwhile.
      await this.#forgetRoom(classId);
    }
  }

  async #forgetRoom(classId: string): Promise<void> {
    this.#storedRooms.delete(classId);
    await ignoreFailure(this.#storage.remove([classId]));
  }

  async #listKeptRooms(): Promise<readonly OfflineRoom[]> {
    return (await ignoreFailure(this.#storage.list(this.#account))) ?? [];
  }

  /** Shows what is kept in all rooms that have nothing. */
  async #restore(): Promise<void> {
    for (const keptRoom of await this.#listKeptRooms()) {
      if (this.#isStopped || this.#isOnline()) return;
      if (!this.#isForbidden(keptRoom.classId)) {
        this.#live.getRoom(keptRoom.classId).restore(keptRoom, keptRoom.keptAt);
      }
    }
  }

  #planCatchUp(): void {
    if (this.#isCatchingUp || this.#catchUpTimer || !this.#isOnline()) return;
    const { min, max } = catchUpDelayMs;
    this.#catchUpTimer = setTimeout(() => void this.#catchUp(), min + Math.random() * (max - min));
  }

  /** Brings the kept rooms up to date that are not on screen, one at a time. */
  async #catchUp(): Promise<void> {
    this.#catchUpTimer = null;
    this.#isCatchingUp = true;
    for (const keptRoom of await this.#listKeptRooms()) {
      if (this.#isStopped || !this.#isOnline()) break;
      await this.#catchUpRoom(keptRoom);
    }
    this.#live.refresh(null);
    this.#isCatchingUp = false;
    // Something may have been taken away from a class after its turn.
    const storedIds = [...this.#storedRooms.keys()];
    if (storedIds.some((classId) => this.#live.getRoom(classId).isBehind())) this.#planCatchUp();
  }

  async #catchUpRoom(keptRoom: OfflineRoom): Promise<void> {
    const { classId } = keptRoom;
    const room = this.#live.getRoom(classId);
    if (this.#isForbidden(classId) || room.isGone()) return this.#forgetRoom(classId);
    if (!room.isBehind()) return;
    room.restore(keptRoom, keptRoom.keptAt);
    this.#live.refresh(classId);
    await this.#waitUntil(
      () => !room.isBehind() || room.isGone() || this.#isStopped || !this.#isOnline(),
    );
    await this.#save(classId);
  }

  #waitUntil(isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#onRefreshed = null;
        resolve();
      };
      const timer = setTimeout(end, catchUpTimeoutMs);
      this.#onRefreshed = () => isDone() && end();
      this.#onRefreshed();
    });
  }
}

function isSame(storable: StorableRoom, previousRoom: StorableRoom | undefined): boolean {
  return (
    storable.replica === previousRoom?.replica &&
    storable.preferences === previousRoom.preferences &&
    storable.sanction === previousRoom.sanction &&
    storable.votedIds === previousRoom.votedIds &&
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
