// Keeps rooms and answers on this device while the setting is on, and reads them without a network.
import type { QueryClient } from '@tanstack/react-query';
import type { SchoolTheme } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { classesKey, meKey, themeKey } from '#web/data/query-keys.ts';
import { deleteOfflineData, onOfflineDataDeleted, onReachable } from '#web/data/reachability.ts';
import { settings } from '#web/data/settings.ts';
import type { OfflineRoom } from '#web/sync/offline/offline-room.ts';
import { type OfflineRooms, startOfflineRooms } from '#web/sync/offline/offline-rooms.ts';
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
  let rooms: OfflineRooms | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The queries have the data of the server. */
  let isCurrent = false;
  isStoring = true;

  const getAccount = () => client.getQueryData<CallReply<'me'>>(meKey)?.account;

  function stopRooms(): void {
    rooms?.stop();
    if (rooms) active.delete(rooms);
    rooms = null;
  }

  function startRooms(owner: string): OfflineRooms {
    const { offline, connection } = live;
    const startedRooms = startOfflineRooms({
      live: offline,
      connection,
      storage: offlineStorage,
      account: owner,
      now: () => Date.now(),
    });
    active.add(startedRooms);
    return startedRooms;
  }

  async function update(): Promise<void> {
    const owner = getAccount();
    if (!isStoring || !isOn() || !owner || owner.suspended) return stopRooms();
    rooms ??= startRooms(owner.key);
    const classes = client.getQueryData<CallReply<'listClasses'>>(classesKey);
    const isStale = client.getQueryState(classesKey)?.isInvalidated;
    if (!isCurrent || isStale || !classes) return;
    const theme = client.getQueryData<SchoolTheme>(themeKey);
    // The address is of no use without a network.
    const me = { account: { ...owner, email: '' } };
    const answersToStore = { me, classes, ...(theme && { theme }) };
    await offlineStorage
      .putAnswers({ ...answersToStore, account: owner.key, keptAt: Date.now() })
      .catch((error: unknown) => console.warn('The classes could not be kept.', error));
    rooms?.setClasses(classes.classes);
  }

  function plan(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), saveDelayMs);
  }

  async function onConnection(): Promise<void> {
    isCurrent = false;
    if (live.connection.getSnapshot() !== 'online') return;
    onReachable();
    if (answers !== null) {
      answers = null;
      const keys = [meKey, classesKey, themeKey];
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    }
    isCurrent = live.connection.getSnapshot() === 'online';
    plan();
  }

  function onSettings(): void {
    if (!isOn()) void deleteOfflineData().then(() => (isStoring = true));
    plan();
  }

  const flush = () => rooms?.flush();
  let wasOn = isOn();
  const ends = [
    client.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated' && ['me', 'classes'].includes(String(query.queryKey[0]))) plan();
    }),
    live.connection.subscribe(() => void onConnection()),
    settings.subscribe(() => {
      if (isOn() !== wasOn) onSettings();
      wasOn = isOn();
    }),
    live.onSignedOut(stopRooms),
  ];
  addEventListener('pagehide', flush);
  document.addEventListener('visibilitychange', flush);
  void update();
  void onConnection();

  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
    removeEventListener('pagehide', flush);
    document.removeEventListener('visibilitychange', flush);
    stopRooms();
  };
}
