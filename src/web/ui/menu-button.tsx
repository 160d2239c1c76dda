import { type KeyboardEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useDismiss } from '#web/ui/use-dismiss.ts';
import styles from './menu-button.module.css';

export interface MenuItem {
  icon: IconName;
  label: string;
  danger?: boolean;
  act: () => void;
}

/** A button with a menu under it. The menu stays in its place of the page, inside its landmark. */
export function MenuButton({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(root, open, close);

  useLayoutEffect(() => {
    const element = menu.current;
    const anchor = trigger.current?.getBoundingClientRect();
    if (!open || !element || !anchor) return;
    const { offsetHeight: height, offsetWidth: width } = element;
    const below = anchor.bottom + 4 + height <= window.innerHeight;
    element.style.top = `${below ? anchor.bottom + 4 : anchor.top - 4 - height}px`;
    const left = Math.min(anchor.right - width, window.innerWidth - width - 8);
    element.style.left = `${Math.max(8, left)}px`;
    element.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    // It hangs at a place of the window: when that moves, it closes.
    window.addEventListener('resize', close);
    document.addEventListener('scroll', close, { capture: true, once: true });
    return () => {
      window.removeEventListener('resize', close);
      document.removeEventListener('scroll', close, { capture: true });
    };
  }, [open, close]);

  const keyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const at = all.findIndex((item) => item === document.activeElement);
    const targets: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: -1,
    };
    const target = targets[event.key];
    if (target !== undefined) {
      event.preventDefault();
      all.at(target % all.length)?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault();
      trigger.current?.focus();
      close();
    }
  };

  return (
    <div ref={root}>
      <IconButton
        ref={trigger}
        icon="more"
        label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div
          ref={menu}
          className={styles.menu}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          onKeyDown={keyDown}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={item.danger ? `${styles.item} ${styles.danger}` : styles.item}
              onClick={() => {
                trigger.current?.focus();
                close();
                item.act();
              }}
            >
              <Icon name={item.icon} size={18} />
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
