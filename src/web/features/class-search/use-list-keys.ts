import type { KeyboardEvent, RefObject } from 'react';

/** The main action of a result: `Join Class`, or `Open` for a member. */
const actionSelector = '[data-hit-action]';

/**
 * Keyboard navigation between the search box and the results. The arrow keys, Home and End move between the
 * buttons of the results. Escape, and the up arrow on the first result, return to the box.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  box: RefObject<HTMLInputElement | null>,
) {
  const listActions = () => [
    ...(list.current?.querySelectorAll<HTMLElement>(actionSelector) ?? []),
  ];
  const focusFirst = () => {
    const [first] = listActions();
    first?.focus();
    return first !== undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const actions = listActions();
    const hit = (event.target as Element).closest('li');
    const index = actions.findIndex((item) => hit?.contains(item));
    const target = index < 0 ? undefined : findTarget(event.key, actions, index);
    if (target === undefined) return;
    event.preventDefault();
    (target ?? box.current)?.focus();
  };
  return { focusFirst, onKeyDown };
}

/** @returns null for the box, undefined for a key that is not handled */
function findTarget(key: string, actions: readonly HTMLElement[], index: number) {
  switch (key) {
    case 'ArrowDown':
      return actions[Math.min(index + 1, actions.length - 1)];
    case 'ArrowUp':
      return index === 0 ? null : actions[index - 1];
    case 'Home':
      return actions[0];
    case 'End':
      return actions.at(-1);
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}
