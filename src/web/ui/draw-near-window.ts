// Draws slow content (formulas, the colors of code) when it is near the window, the nearest first. After each drawing
// the page rests, so that it answers keys and the wheel on slow computers, too.
import { maxMessageCost } from '#web/markup/markup.ts';

/** After drawing, the page rests this many times as long as that took. */
const restFactor = 3;
/** The time between two frames does not count as drawing. */
const frameMs = 17;
/** Content within this distance of the window is drawn. The list renders rows that are farther away. */
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
const waitingElements = new Set<Element>();
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
    waitingElements.delete(element);
  };
}

function onMove(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting, boundingClientRect } of entries) {
    const drawing = drawings.get(target);
    if (drawing && !drawing.draw) drawing.onHeight(boundingClientRect.height);
    if (drawing?.draw && isIntersecting) waitingElements.add(target);
    else waitingElements.delete(target);
  }
  drawNext();
}

/** Draws as much together as one message may cost. */
function drawNext(): void {
  if (isResting || waitingElements.size === 0) return;
  isResting = true;
  const startedAt = performance.now();
  let remainingCost = maxMessageCost;
  for (const element of [...waitingElements].toSorted(
    (a, b) => measureDistance(a) - measureDistance(b),
  )) {
    const { cost = 0, draw } = drawings.get(element) ?? {};
    if (cost > remainingCost) break;
    remainingCost -= cost;
    waitingElements.delete(element);
    draw?.();
  }
  const pauseDrawing = () => {
    const drawingMs = Math.max(0, performance.now() - startedAt - frameMs);
    setTimeout(() => {
      isResting = false;
      drawNext();
    }, restFactor * drawingMs);
  };
  // A timer that is set before a frame is painted runs after the painting.
  requestAnimationFrame(() => setTimeout(pauseDrawing));
}

/** Twice the distance between the middles of the element and of the window. */
function measureDistance(element: Element): number {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.abs(top + bottom - innerHeight);
}
