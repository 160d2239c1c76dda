import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** The snapshot of a store, or a part of it: the component renders again when that part changes. */
export function useStore<Snapshot>(store: Store<Snapshot>): Snapshot;
export function useStore<Snapshot, Part>(
  store: Store<Snapshot>,
  select: (snapshot: Snapshot) => Part,
): Part;
export function useStore<Snapshot>(
  { subscribe, getSnapshot }: Store<Snapshot>,
  select: (snapshot: Snapshot) => unknown = (snapshot) => snapshot,
): unknown {
  return useSyncExternalStore(subscribe, () => select(getSnapshot()));
}
