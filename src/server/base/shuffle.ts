import { randomInt } from 'node:crypto';

/** Returns the items in random order. */
export function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: randomInt(2 ** 47) }))
    .toSorted((first, second) => first.place - second.place)
    .map(({ item }) => item);
}
