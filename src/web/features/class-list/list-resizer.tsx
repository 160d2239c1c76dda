import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import { getText, isRightToLeft } from '#web/get-text.ts';
import { mirrorArrow } from '#web/ui/shortcut-keys.ts';
import styles from './class-list.module.css';

// LAYOUT-26
const width = { min: 220, initial: 296, max: 360 };
const stepPx = 16;
const storageKey = 'class-list-width';

function clamp(px: number): number {
  return Math.round(Math.max(width.min, Math.min(width.max, px)));
}

/** The distance from the side where the list is. */
function toDistance({ clientX }: PointerEvent): number {
  return isRightToLeft() ? window.innerWidth - clientX : clientX;
}

function loadWidth(): number {
  return clamp(Number(localStorage.getItem(storageKey)) || width.initial);
}

function saveWidth(px: number): void {
  try {
    localStorage.setItem(storageKey, String(px));
  } catch {
    // Storage is full or forbidden. The width lasts until the page is closed.
  }
}

/** The edge of the class list. Dragging or the arrow keys resize the list; a double-click resets it. */
export function ListResizer() {
  const [px, setPx] = useState(loadWidth);
  const [isDragging, setIsDragging] = useState(false);
  /** The distance between the pointer and the edge when the drag started. */
  const grip = useRef(0);
  useLayoutEffect(() => {
    // On the root element, because the position of notices depends on it too.
    document.documentElement.style.setProperty('--list', `${px}px`);
  }, [px]);
  const resize = (to: number) => {
    const next = clamp(to);
    setPx(next);
    saveWidth(next);
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: px - stepPx,
      ArrowRight: px + stepPx,
      Home: width.min,
      End: width.max,
    }[mirrorArrow(event.key)];
    if (next === undefined) return;
    event.preventDefault();
    resize(next);
  };
  const handlePointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = toDistance(event) - px;
    setIsDragging(true);
  };
  return (
    <div
      className={styles.resizer}
      role="separator"
      tabIndex={0}
      aria-label={getText('classList.resizer.label')}
      aria-orientation="vertical"
      aria-valuemin={width.min}
      aria-valuemax={width.max}
      aria-valuenow={px}
      aria-valuetext={getText('classList.resizer.width', { count: px })}
      data-dragging={isDragging || undefined}
      onKeyDown={handleKeyDown}
      onPointerDown={handlePointerDown}
      onPointerMove={(event) => isDragging && setPx(clamp(toDistance(event) - grip.current))}
      onPointerUp={() => {
        setIsDragging(false);
        saveWidth(px);
      }}
      onPointerCancel={() => setIsDragging(false)}
      onDoubleClick={() => resize(width.initial)}
    />
  );
}
