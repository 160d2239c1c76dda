// Numbers the indexed classes. Postings and buffers refer to a class by its small document number.

export interface DocNumbers {
  /** @returns the number of the new document. Numbers of removed documents are used again. */
  add(classId: string): number;
  /** @returns the number that the document had */
  remove(classId: string): number | undefined;
  get(classId: string): number | undefined;
  /** The ids of all documents. */
  ids(): Iterable<string>;
  /** The numbers of all documents, in no particular order. A view that the next change overwrites. */
  all(): Int32Array;
}

export function createDocNumbers(): DocNumbers {
  const numbers = new Map<string, number>();
  const free: number[] = [];
  /** The used numbers without gaps. A removed number is replaced by the last one. */
  let usedNumbers = new Int32Array(1024);
  let count = 0;
  /** The index of each number in `used`. */
  const indexes: number[] = [];

  return {
    add(classId) {
      const doc = free.pop() ?? indexes.length;
      numbers.set(classId, doc);
      if (count === usedNumbers.length) {
        const larger = new Int32Array(2 * count);
        larger.set(usedNumbers);
        usedNumbers = larger;
      }
      indexes[doc] = count;
      usedNumbers[count++] = doc;
      return doc;
    },
    remove(classId) {
      const doc = numbers.get(classId);
      if (doc === undefined) return undefined;
      numbers.delete(classId);
      free.push(doc);
      const index = indexes[doc] as number;
      const last = usedNumbers[--count] as number;
      usedNumbers[index] = last;
      indexes[last] = index;
      return doc;
    },
    get: (classId) => numbers.get(classId),
    ids: () => numbers.keys(),
    all: () => usedNumbers.subarray(0, count),
  };
}
