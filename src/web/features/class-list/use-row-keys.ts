import { type FocusEvent, type KeyboardEvent, useState } from 'react';
import type { Class } from '#contract/entities.ts';
import { mirrorArrow } from '#web/ui/shortcut-keys.ts';

/** Set on each row of the class list, with the class id. */
export const rowAttribute = 'data-class';

/**
 * Keyboard navigation. The class list is one tab stop: the open class, or the row that has the focus. The
 * up and down arrows, Home and End move between rows. The right arrow moves to the options of a row, the left
 * arrow back; from right to left it is the other way round.
 */
export function useRowKeys(classes: readonly Class[], openId: string | null) {
  const [lastId, setLastId] = useState<string | null>(null);
  const isListed = (id: string | null) => classes.some(({ classId }) => classId === id);
  const tabStop = [lastId, openId].find(isListed) ?? classes[0]?.classId ?? null;

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const focusedElement = event.target as HTMLElement;
    const row = focusedElement.closest(`[${rowAttribute}]`);
    // An open menu is inside the row and handles its own keys.
    if (!row || focusedElement.closest('[role=menu]')) return;
    const target = findTarget(event.key, row, event.currentTarget);
    if (!target) return;
    event.preventDefault();
    target.focus();
  };
  return {
    tabStop,
    handlers: {
      onKeyDown,
      onFocus: ({ target }: FocusEvent) =>
        setLastId(target.closest(`[${rowAttribute}]`)?.getAttribute(rowAttribute) ?? null),
      // The tab stop returns to the open class.
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) setLastId(null);
      },
    },
  };
}

function findTarget(key: string, row: Element, list: Element): HTMLElement | null | undefined {
  const findLink = (element: Element | null | undefined) =>
    element?.querySelector<HTMLElement>('a');
  switch (mirrorArrow(key)) {
    case 'ArrowDown':
      return findLink(row.nextElementSibling);
    case 'ArrowUp':
      return findLink(row.previousElementSibling);
    case 'Home':
      return findLink(list.firstElementChild);
    case 'End':
      return findLink(list.lastElementChild);
    case 'ArrowRight':
      return row.querySelector('button');
    case 'ArrowLeft':
      return findLink(row);
    default:
      return undefined;
  }
}
