// When to draw what is slow to show: near the window, the nearest first, and never most of the time. So the page
// answers keys and the wheel, however slow the computer and however many messages wait.
import { maxMessageCost } from '#web/markup/markup.ts';

/** After drawing, the page rests this many times as long as that took. */
const restFactor = 3;
/** The time between two frames does not count as drawing. */
const frameMs = 17;
/** The distance to the window. Less than that of the farthest rows of the list. */
const margin = '300px';

export interface Drawing {
  /** About how many elements it needs. */
  cost: number;
  /** Null: it is drawn. */
  draw: (() => void) | null;
  /** Gets the height of what is drawn. */
  onHeight: (px: number) => void;
}

const drawings = new Map<Element, Drawing>();
/** The elements near the window that are not drawn. */
const waiting = new Set<Element>();
let isResting = false;
let observer: IntersectionObserver | undefined;

/** @returns a function that forgets the element */
export function drawNearWindow(element: Element, drawing: Drawing): () => void {
  observer ??= new IntersectionObserver(onMove, { rootMargin: margin, scrollMargin: margin });
  drawings.set(element, drawing);
  observer.observe(element);
  return () => {
    observer?.unobserve(element);
    drawings.delete(element);
    waiting.delete(element);
  };
}

function onMove(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting, boundingClientRect } of entries) {
    const drawing = drawings.get(target);
    if (drawing && !drawing.draw) drawing.onHeight(boundingClientRect.height);
    if (drawing?.draw && isIntersecting) waiting.add(target);
    else waiting.delete(target);
  }
  drawNext();
}

/** Draws as much together as one message may cost. */
function drawNext(): void {
  if (isResting || waiting.size === 0) return;
  isResting = true;
  const startedAt = performance.now();
  let remainingCost = maxMessageCost;
  for (const element of [...waiting].toSorted((a, b) => measureDistance(a) - measureDistance(b))) {
    const { cost = 0, draw } = drawings.get(element) ?? {};
    if (cost > remainingCost) break;
    remainingCost -= cost;
    waiting.delete(element);
    draw?.();
  }
  const pauseDrawing = () => {
    const drawingMs = Math.max(0, performance.now() - startedAt - frameMs);
    setTimeout(() => {
      isResting = false;
      drawNext();
    }, restFactor * drawingMs);
  };
  // A timer that is set before a frame's paint runs after it.
  requestAnimationFrame(() => setTimeout(pauseDrawing));
}

/** Twice the distance between the middles of the element and of the window. */
function measureDistance(element: Element): number {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.abs(top + bottom - innerHeight);
}
