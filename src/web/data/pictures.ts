// Pictures from the server, cached in memory only: no disk cache may outlive a sign-out.
import { useCallback, useSyncExternalStore } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { fetchPicture } from '#web/api.ts';
import { onSessionEnd } from '#web/data/session-end.ts';

/** `gone`: the server no longer has the picture. `failed`: the fetch failed and can be retried. */
export type PictureState = 'loading' | 'loaded' | 'gone' | 'failed';

export interface LoadedPicture {
  readonly state: PictureState;
  /** A URL for an `img`. Set after loading. */
  readonly src: string | undefined;
}

interface Entry {
  picture: LoadedPicture;
  bytes: number;
  readonly listeners: Set<() => void>;
  readonly controller: AbortController;
}

/** Bounds the cache of pictures that are off screen, so that scrolling back does not reload them. */
const maxUnusedBytes = 48 * 1024 * 1024; // PIC-63

const loading: LoadedPicture = { state: 'loading', src: undefined };
/** Ordered by last release, oldest first. */
const entries = new Map<string, Entry>();

async function load(url: string, entry: Entry): Promise<void> {
  const { controller } = entry;
  let picture: LoadedPicture;
  try {
    const blob = await fetchPicture(url, controller.signal);
    if (controller.signal.aborted) return;
    entry.bytes = blob.size;
    picture = { state: 'loaded', src: URL.createObjectURL(blob) };
  } catch (error) {
    if (controller.signal.aborted) return;
    const isGone = error instanceof RejectedError && error.code === 'NOT_FOUND';
    picture = { state: isGone ? 'gone' : 'failed', src: undefined };
  }
  entry.picture = picture;
  for (const listener of entry.listeners) listener();
}

function acquire(url: string, listener: () => void): () => void {
  let entry = entries.get(url);
  if (!entry) {
    const controller = new AbortController();
    entry = { picture: loading, bytes: 0, listeners: new Set(), controller };
    entries.set(url, entry);
    void load(url, entry);
  }
  const listenedEntry = entry;
  listenedEntry.listeners.add(listener);
  return () => {
    listenedEntry.listeners.delete(listener);
    if (listenedEntry.listeners.size === 0) release(url, listenedEntry);
  };
}

function release(url: string, entry: Entry): void {
  entries.delete(url);
  if (entry.picture.state !== 'loaded') return entry.controller.abort();
  entries.set(url, entry);
  evictPictures(maxUnusedBytes);
}

/** Evicts pictures that are off screen, least recently used first. */
export function evictPictures(keptBytes = 0): void {
  const unused = [...entries].filter(([, { listeners }]) => listeners.size === 0);
  let total = unused.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  for (const [url, { picture, bytes }] of unused) {
    if (total <= keptBytes) return;
    total -= bytes;
    entries.delete(url);
    if (picture.src !== undefined) URL.revokeObjectURL(picture.src);
  }
}

onSessionEnd(() => evictPictures());

/** Reloads a failed picture for every component that shows it. */
export function retryPicture(url: string): void {
  const entry = entries.get(url);
  if (entry?.picture.state !== 'failed') return;
  entry.picture = loading;
  for (const listener of entry.listeners) listener();
  void load(url, entry);
}

/** Loads the picture while a component that uses it is mounted. */
export function usePicture(url: string): LoadedPicture {
  const subscribe = useCallback((listener: () => void) => acquire(url, listener), [url]);
  return useSyncExternalStore(subscribe, () => entries.get(url)?.picture ?? loading);
}
