// Keeps rooms and answers on this device while the setting is on, and reads them without a network.
import type { QueryClient } from '@tanstack/react-query';
import type { SchoolTheme } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { classesKey, meKey, themeKey } from '#web/data/query-keys.ts';
import { deleteOfflineData, onOfflineDataDeleted, onReachable } from '#web/data/reachability.ts';
import { settings } from '#web/data/settings.ts';
import type { OfflineRoom } from '#web/sync/offline/offline-room.ts';
import { OfflineRooms } from '#web/sync/offline/offline-rooms.ts';
import { offlineStorage, type StoredAnswers } from '#web/sync/offline/offline-storage.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

/** The age to which a session lasts without being used. */
const maxAgeMs = 30 * 24 * 3_600_000; // OFFLINE-8
const saveDelayMs = 1000;

let isStoring = true;
let answers: Promise<StoredAnswers | null> | null = null;

const isOn = () => settings.getSnapshot().keepMessages === 'on';

/** The answers of the last connection of this device. Null if they are too old, or nothing is kept. */
export function loadAnswers(): Promise<StoredAnswers | null> {
  answers ??= loadFreshAnswers().catch((error: unknown) => {
    console.warn('What this device keeps cannot be read.', error);
    return null;
  });
  return answers;
}

async function loadFreshAnswers(): Promise<StoredAnswers | null> {
  if (!isOn()) return null;
  const storedAnswers = await offlineStorage.loadAnswers();
  if (!storedAnswers || Date.now() - storedAnswers.keptAt < maxAgeMs) return storedAnswers;
  await deleteOfflineData();
  return null;
}

/** The session ended: tabs that do not know it yet store nothing more. */
onOfflineDataDeleted(() => {
  isStoring = false;
  answers = Promise.resolve(null);
});

const active = new Set<OfflineRooms>();

export function listRooms(account: string): Promise<readonly OfflineRoom[]> {
  return offlineStorage.list(account);
}

/** Forgets all rooms that are kept. A class is kept again when it is opened again. */
export async function forgetRooms(): Promise<void> {
  await Promise.all([...active].map((rooms) => rooms.forget()));
  await offlineStorage.clear();
}

/** @returns stops it */
export function storeOffline(live: LiveClient, client: QueryClient): () => void {
  const writer = new OfflineWriter(live, client);
  return () => writer.stop();
}

class OfflineWriter {
  readonly #live: LiveClient;
  readonly #client: QueryClient;
  readonly #unsubscribers: readonly (() => void)[];
  readonly #flush = () => this.#rooms?.flush();
  #rooms: OfflineRooms | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The queries have the data of the server, and not of this device. */
  #isCurrent = answers === null;
  #wasOn = isOn();

  /** Stores changes until `stop`. */
  constructor(live: LiveClient, client: QueryClient) {
    isStoring = true;
    this.#live = live;
    this.#client = client;
    this.#unsubscribers = [
      client.getQueryCache().subscribe(({ type, query }) => {
        const name = String(query.queryKey[0]);
        if (type === 'updated' && ['me', 'classes'].includes(name)) this.#planUpdate();
      }),
      live.connection.subscribe(() => void this.#onConnection()),
      settings.subscribe(() => this.#onSettings()),
      live.onSignedOut(() => this.#stopRooms()),
    ];
    addEventListener('pagehide', this.#flush);
    document.addEventListener('visibilitychange', this.#flush);
    void this.#update();
    void this.#onConnection();
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    removeEventListener('pagehide', this.#flush);
    document.removeEventListener('visibilitychange', this.#flush);
    this.#stopRooms();
  }

  async #onConnection(): Promise<void> {
    if (!this.#isOnline()) {
      void this.#update();
      this.#isCurrent = false;
      return;
    }
    onReachable();
    isStoring = true;
    if (answers !== null) {
      this.#isCurrent = false;
      answers = null;
      const keys = [meKey, classesKey, themeKey];
      await Promise.all(keys.map((queryKey) => this.#client.invalidateQueries({ queryKey })));
    }
    this.#isCurrent = this.#isOnline();
    this.#planUpdate();
  }

  #isOnline(): boolean {
    return this.#live.connection.getSnapshot() === 'online';
  }

  #onSettings(): void {
    const isNowOn = isOn();
    if (isNowOn === this.#wasOn) return;
    this.#wasOn = isNowOn;
    if (!isNowOn) void deleteOfflineData().then(() => (isStoring = true));
    this.#planUpdate();
  }

  #planUpdate(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#update(), saveDelayMs);
  }

  async #update(): Promise<void> {
    const owner = this.#client.getQueryData<CallReply<'me'>>(meKey)?.account;
    if (!isStoring || !isOn() || !owner || owner.suspended) return this.#stopRooms();
    this.#rooms ??= this.#startRooms(owner.key);
    const classes = this.#client.getQueryData<CallReply<'listClasses'>>(classesKey);
    const isStale = this.#client.getQueryState(classesKey)?.isInvalidated;
    if (!this.#isCurrent || isStale || !classes) return;
    const theme = this.#client.getQueryData<SchoolTheme>(themeKey);
    // The address is of no use without a network.
    const me = { account: { ...owner, email: '' } };
    const answersToStore = { me, classes, ...(theme && { theme }) };
    await offlineStorage
      .putAnswers({ ...answersToStore, account: owner.key, keptAt: Date.now() })
      .catch((error: unknown) => console.warn('The classes could not be kept.', error));
    this.#rooms?.setClasses(classes.classes);
  }

  #startRooms(account: string): OfflineRooms {
    const { offline, connection } = this.#live;
    const rooms = new OfflineRooms({
      live: offline,
      connection,
      storage: offlineStorage,
      account,
      now: () => Date.now(),
    });
    active.add(rooms);
    return rooms;
  }

  #stopRooms(): void {
    this.#rooms?.stop();
    if (this.#rooms) active.delete(this.#rooms);
    this.#rooms = null;
  }
}
