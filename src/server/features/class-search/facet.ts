// One facet to filter and count by. Classes with equal values share a group, so only groups are compared.

export interface Facet {
  set(doc: number, values: readonly string[]): void;
  /** For each group, whether its classes have one of these values. Case is ignored. */
  matchGroups(values: readonly string[]): boolean[];
  /** The group of each document. */
  readonly groupByDoc: readonly number[];
  readonly groupCount: number;
  /**
   * @param perGroup the number of matches in each group
   * @returns the values with their counts, most frequent first
   */
  countValues(perGroup: Uint32Array): [value: string, count: number][];
}

export function createFacet(): Facet {
  const groups: (readonly string[])[] = [];
  const groupsByKey = new Map<string, number>();
  const groupByDoc: number[] = [];

  return {
    set(doc, values) {
      const key = values.join('\n');
      let group = groupsByKey.get(key);
      if (group === undefined) {
        group = groups.push([...new Set(values)]) - 1;
        groupsByKey.set(key, group);
      }
      groupByDoc[doc] = group;
    },
    matchGroups(values) {
      const wanted = new Set(values.map((value) => value.toLowerCase()));
      return groups.map((group) => group.some((value) => wanted.has(value.toLowerCase())));
    },
    groupByDoc,
    get groupCount() {
      return groups.length;
    },
    countValues(perGroup) {
      const counts = new Map<string, number>();
      for (const [group, values] of groups.entries()) {
        const count = perGroup[group] ?? 0;
        if (count === 0) continue;
        for (const value of values) counts.set(value, (counts.get(value) ?? 0) + count);
      }
      return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    },
  };
}
