import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  icon: IconName;
  label: string;
  danger?: boolean;
  act: () => void;
}

/** What the menu hangs at, in the window; a point has no size. */
export type Anchor = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

interface Props {
  label: string;
  anchor: Anchor;
  items: readonly MenuItem[];
  /** A row of further `menuitem`s above the others. */
  lead?: ReactNode;
  onClose: () => void;
}

const gap = 4;
const edge = 8;

/**
 * A menu in the browser's top layer, in its place of the page and inside its landmark. A press
 * beside it closes it and does nothing else. On a phone it is a sheet at the bottom.
 */
export function Menu({ label, anchor, items, lead, onClose }: Props) {
  const layer = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const before = useRef<Element>(null);

  useLayoutEffect(() => {
    before.current = document.activeElement;
    layer.current?.showPopover();
    menu.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    // It hangs at a place of the window: when that moves, it closes.
    window.addEventListener('resize', onClose);
    return () => window.removeEventListener('resize', onClose);
  }, [onClose]);

  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    const { offsetHeight: height, offsetWidth: width } = element;
    const isPoint = anchor.left === anchor.right;
    const below = anchor.bottom + gap + height <= window.innerHeight;
    const left = isPoint ? anchor.left : anchor.right - width;
    const top = below ? anchor.bottom + gap : anchor.top - gap - height;
    element.style.setProperty('--left', `${between(left, window.innerWidth - width - edge)}px`);
    element.style.setProperty('--top', `${between(top, window.innerHeight - height - edge)}px`);
  }, [anchor]);

  /** Gives the focus back to where it was. */
  const leave = () => {
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
    onClose();
  };

  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      return leave();
    }
    const target = menu.current && targetOf(event.key, menu.current);
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
      onKeyDown={keyDown}
      onClick={({ target }) => {
        // After the item has acted and before what it opens is there, which takes the focus then.
        if (target instanceof Element && target.closest('[role^=menuitem]')) leave();
        else if (target === layer.current) onClose();
      }}
      // What it hangs at may listen for presses too, and would take these for its own.
      onPointerDown={(event) => event.stopPropagation()}
      onContextMenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (event.target === layer.current) onClose();
      }}
      onWheel={onClose}
    >
      <div ref={menu} className={styles.menu} role="menu" tabIndex={-1} aria-label={label}>
        {lead}
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={item.danger ? `${styles.item} ${styles.danger}` : styles.item}
            onClick={item.act}
          >
            <Icon name={item.icon} size={18} />
            {item.label}
          </button>
        ))}
      </div>
    </div>
  );
}

function between(value: number, most: number): number {
  return Math.max(edge, Math.min(value, most));
}

/** Up and down go from row to row, left and right within one. */
function targetOf(key: string, menu: HTMLElement): HTMLElement | undefined {
  const all = [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = all.findIndex((item) => item === document.activeElement);
  const rows = all.filter((item) => item.parentElement === menu || !item.previousElementSibling);
  const row = rows.findLastIndex((item) => all.indexOf(item) <= at);
  switch (key) {
    case 'ArrowDown':
      return rows.at((row + 1) % rows.length);
    case 'ArrowUp':
      return rows.at(Math.max(row, 0) - 1);
    case 'ArrowRight':
      return all.at((at + 1) % all.length);
    case 'ArrowLeft':
      return all.at(Math.max(at, 0) - 1);
    case 'Home':
      return all.at(0);
    case 'End':
      return all.at(-1);
    default:
      return undefined;
  }
}
