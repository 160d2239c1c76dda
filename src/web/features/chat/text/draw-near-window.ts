// When to draw what is slow to show: near the window, and only so much in a second. A token bucket.

/** About as many elements as can be drawn together. More than any message may cost. */
const maxTokens = 2000;
const tokensPerSecond = 1000;
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
let tokens = maxTokens;
let countedAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
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

function drawNext(): void {
  clearTimeout(timer);
  const now = performance.now();
  tokens = Math.min(maxTokens, tokens + ((now - countedAt) * tokensPerSecond) / 1000);
  countedAt = now;
  for (const element of [...waiting].sort((a, b) => distance(a) - distance(b))) {
    const { cost = 0, draw } = drawings.get(element) ?? {};
    if (cost > tokens) {
      timer = setTimeout(drawNext, ((cost - tokens) * 1000) / tokensPerSecond);
      return;
    }
    tokens -= cost;
    waiting.delete(element);
    draw?.();
  }
}

/** Twice the distance between the middles of the element and of the window. */
function distance(element: Element): number {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.abs(top + bottom - innerHeight);
}
