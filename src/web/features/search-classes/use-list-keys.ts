import type { KeyboardEvent, RefObject } from 'react';

/** What Enter does in a result: `Join Class`, or `Open` where one is in the class. */
const action = '[data-hit-action]';

/**
 * From the box down into the results and back: the arrows, Home and End go from one result's button to
 * the next one's; up from the first, and Escape, lead to the box.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  box: RefObject<HTMLInputElement | null>,
) {
  const actions = () => [...(list.current?.querySelectorAll<HTMLElement>(action) ?? [])];
  const enter = () => {
    const [first] = actions();
    first?.focus();
    return first !== undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const all = actions();
    const hit = (event.target as Element).closest('li');
    const at = all.findIndex((one) => hit?.contains(one));
    const target = at < 0 ? undefined : targetOf(event.key, all, at);
    if (target === undefined) return;
    event.preventDefault();
    (target ?? box.current)?.focus();
  };
  return { enter, onKeyDown };
}

/** @returns null for the box, undefined for a key that means nothing here */
function targetOf(key: string, all: readonly HTMLElement[], at: number) {
  switch (key) {
    case 'ArrowDown':
      return all[Math.min(at + 1, all.length - 1)];
    case 'ArrowUp':
      return at === 0 ? null : all[at - 1];
    case 'Home':
      return all[0];
    case 'End':
      return all.at(-1);
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}
