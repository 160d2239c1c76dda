// What a moderator decided about the member of one class.
import type { Sanction } from '#contract/entities.ts';

export interface OwnSanction {
  /** Null: there is no sanction, or its time has passed. */
  current(): Sanction | null;
  /** Null and undefined: the sanction was lifted. */
  set(sanction: Sanction | null | undefined): void;
  /** Ends the sanction if its time has passed, because timers of a hidden tab are late. */
  refresh(): void;
  clear(): void;
  stop(): void;
}

/** Longer timers overflow. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Ends a mute by this device's clock, because the server does not report that its time has passed.
 *
 * @param onChange gets whether the member is now, and was before, removed from the class
 */
export function createOwnSanction(
  now: () => number,
  onChange: (isRemoved: boolean, wasRemoved: boolean) => void,
): OwnSanction {
  let sanction: Sanction | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isRemoval = () => sanction?.kind === 'removed';
  const stop = () => clearTimeout(timer);
  const refresh = () => set(sanction);

  function set(next: Sanction | null | undefined): void {
    stop();
    const wasRemoved = isRemoval();
    const remainingMs = (next?.until ?? Infinity) - now();
    sanction = next && remainingMs > 0 ? next : null;
    if (sanction && remainingMs !== Infinity) {
      timer = setTimeout(refresh, Math.min(remainingMs, maxTimerMs));
    }
    onChange(isRemoval(), wasRemoved);
  }

  return {
    current: () => sanction,
    set,
    refresh,
    clear() {
      stop();
      sanction = null;
    },
    stop,
  };
}
