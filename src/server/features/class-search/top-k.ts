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

  function siftUp(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!swapIfBefore(parent, index)) return;
      index = parent;
    }
  }

  function siftDown(): void {
    let index = 0;
    for (;;) {
      const leftChild = 2 * index + 1;
      const rightChild = leftChild + 1;
      if (leftChild >= heap.length) return;
      const worse =
        rightChild < heap.length && isBefore(heap[leftChild] as number, heap[rightChild] as number)
          ? rightChild
          : leftChild;
      if (!swapIfBefore(index, worse)) return;
      index = worse;
    }
  }

  /** Keeps the worse document closer to the root. */
  function swapIfBefore(parent: number, child: number): boolean {
    const a = heap[parent] as number;
    const b = heap[child] as number;
    if (!isBefore(a, b)) return false;
    heap[parent] = b;
    heap[child] = a;
    return true;
  }

  return {
    offer(doc) {
      if (heap.length < k) {
        heap.push(doc);
        siftUp(heap.length - 1);
      } else if (k > 0 && isBefore(doc, heap[0] as number)) {
        heap[0] = doc;
        siftDown();
      }
    },
    take: () => heap.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)),
  };
}
