import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { isRightToLeft } from '#web/get-text.ts';
import { useBackToClose } from '#web/ui/use-back-to-close.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { mirrorArrow } from '#web/ui/shortcut-keys.ts';
import styles from './menu.module.css';

export interface MenuItem {
  icon: IconName;
  label: string;
  danger?: boolean;
  action: () => void;
}

/** The anchor in viewport coordinates. A point has no size. */
export type Anchor = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

interface Props {
  label: string;
  anchor: Anchor;
  items: readonly MenuItem[];
  /** Shown above the items of a bottom sheet, because the sheet covers the element that it belongs to. */
  sheetTitle?: ReactNode;
  /** A row of additional `menuitem`s above the others. */
  lead?: ReactNode;
  onClose: () => void;
}

const gap = 4;
const edge = 8;

/**
 * A menu in the browser's top layer. It stays in its place in the DOM, inside its landmark. A press outside
 * only closes it. On a phone it is a bottom sheet.
 */
export function Menu({ label, anchor, items, sheetTitle, lead, onClose }: Props) {
  const layer = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const previousFocus = useRef<Element>(null);

  useLayoutEffect(() => {
    previousFocus.current = document.activeElement;
    layer.current?.showPopover();
    menu.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    // The anchor is a viewport position, so the menu closes if the window changes size.
    window.addEventListener('resize', onClose);
    return () => window.removeEventListener('resize', onClose);
  }, [onClose]);

  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    const { offsetHeight: height, offsetWidth: width } = element;
    const fitsBelow = anchor.bottom + gap + height <= window.innerHeight;
    const isPoint = anchor.left === anchor.right;
    const left = toLeft(anchor, width, isPoint ? 'start' : 'end');
    const top = fitsBelow ? anchor.bottom + gap : anchor.top - gap - height;
    element.style.setProperty('--left', `${left}px`);
    element.style.setProperty('--top', `${clamp(top, window.innerHeight - height - edge)}px`);
  }, [anchor]);

  /** Returns the focus to the previously focused element. */
  const closeAndRefocus = () => {
    if (previousFocus.current instanceof HTMLElement) {
      previousFocus.current.focus({ preventScroll: true });
    }
    onClose();
  };
  useBackToClose(closeAndRefocus);

  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      return closeAndRefocus();
    }
    const target = menu.current && findTarget(mirrorArrow(event.key), menu.current);
    if (!target) return;
    event.preventDefault();
    target.focus();
  };

  return (
    <div
      ref={layer}
      className={styles.layer}
      role="presentation"
      popover="manual"
      onKeyDown={handleKeyDown}
      onClick={({ target }) => {
        // Runs after the item's handler and before the focus moves into what the item opens.
        if (target instanceof Element && target.closest('[role^=menuitem]')) closeAndRefocus();
        else if (target === layer.current) onClose();
      }}
      // The anchor element may also handle pointer events and must not receive those of the menu.
      onPointerDown={(event) => event.stopPropagation()}
      // After a long press, a finger that leaves the screen presses next to the menu, which would take its focus.
      onMouseDown={(event) => {
        if (event.target === layer.current) event.preventDefault();
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (event.target === layer.current) onClose();
      }}
      onWheel={onClose}
    >
      <div ref={menu} className={styles.menu} role="menu" tabIndex={-1} aria-label={label}>
        {sheetTitle && (
          <p className={styles.sheetTitle} role="presentation">
            {sheetTitle}
          </p>
        )}
        {lead}
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={item.danger ? `${styles.item} danger` : styles.item}
            onClick={item.action}
          >
            <Icon name={item.icon} size={18} />
            {item.label}
          </button>
        ))}
      </div>
    </div>
  );
}

/** @returns the left edge of a layer that is even with the anchor at that side, if the window has the space */
export function toLeft(anchor: Anchor, width: number, side: 'start' | 'end'): number {
  const isLeft = (side === 'start') !== isRightToLeft();
  return clamp(isLeft ? anchor.left : anchor.right - width, window.innerWidth - width - edge);
}

function clamp(value: number, max: number): number {
  return Math.max(edge, Math.min(value, max));
}

/** Up and down move between rows, the other arrows within a row. */
function findTarget(key: string, menu: HTMLElement): HTMLElement | undefined {
  const items = [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const index = items.findIndex((item) => item === document.activeElement);
  const rows = items.filter((item) => item.parentElement === menu || !item.previousElementSibling);
  const row = rows.findLastIndex((item) => items.indexOf(item) <= index);
  switch (key) {
    case 'ArrowDown':
      return rows.at((row + 1) % rows.length);
    case 'ArrowUp':
      return rows.at(Math.max(row, 0) - 1);
    case 'ArrowRight':
      return items.at((index + 1) % items.length);
    case 'ArrowLeft':
      return items.at(Math.max(index, 0) - 1);
    case 'Home':
      return items.at(0);
    case 'End':
      return items.at(-1);
    default:
      return undefined;
  }
}
