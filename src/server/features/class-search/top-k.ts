// Keeps the best k documents without sorting the rest.

export interface TopK {
  offer(doc: number): void;
  /** Best first. */
  take(): number[];
}

/** @param isBefore whether the first document comes before the second */
export function createTopK(k: number, isBefore: (a: number, b: number) => boolean): TopK {
  /** A heap with the worst kept document at the root. */
  const heap: number[] = [];

  function rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!swapIfBefore(parent, at)) return;
      at = parent;
    }
  }

  function sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      if (left >= heap.length) return;
      const worse =
        right < heap.length && isBefore(heap[left] as number, heap[right] as number) ? right : left;
      if (!swapIfBefore(at, worse)) return;
      at = worse;
    }
  }

  /** Keeps the worse document closer to the root. */
  function swapIfBefore(above: number, below: number): boolean {
    const a = heap[above] as number;
    const b = heap[below] as number;
    if (!isBefore(a, b)) return false;
    heap[above] = b;
    heap[below] = a;
    return true;
  }

  return {
    offer(doc) {
      if (heap.length < k) {
        heap.push(doc);
        rise(heap.length - 1);
      } else if (k > 0 && isBefore(doc, heap[0] as number)) {
        heap[0] = doc;
        sink();
      }
    },
    take: () => heap.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)),
  };
}
