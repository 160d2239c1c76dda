import { attempt } from './attempt.ts';

/** A value for `useStore`. */
export interface Store<Snapshot> {
  subscribe(listener: () => void): () => void;
  getSnapshot(): Snapshot;
}

/** A value that notifies its listeners when it is replaced. */
export interface WritableStore<Value> extends Store<Value> {
  set(value: Value): void;
}

export interface Listeners<Event extends unknown[]> {
  /** @returns removes the listener */
  add(listener: (...event: Event) => void): () => void;
  /** An error of a listener is reported. It stops neither the other listeners nor the caller. */
  notify(...event: Event): void;
}

export function createListeners<Event extends unknown[] = []>(): Listeners<Event> {
  const listeners = new Set<(...event: Event) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(...event) {
      for (const listener of [...listeners]) attempt(() => listener(...event), undefined);
    },
  };
}

export function createStore<Value>(initialValue: Value): WritableStore<Value> {
  let value = initialValue;
  const { add: subscribe, notify } = createListeners();
  return {
    getSnapshot: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      notify();
    },
    subscribe,
  };
}
