// A thief who is the registrar: the thief knows who takes which classes, and whose each row of an account is. Orders, places,
// transactions and sizes must tell no more.
import { createRandom } from '#tests/support/random.ts';
import { toBytes } from './find-secrets.ts';
import type { Place, StolenCopy } from './stolen-copy.ts';

export interface Registrar {
  /** Account ids to classes. */
  lists: ReadonlyMap<string, readonly string[]>;
  /** MemberIds to the account behind them: the thief does not know it, and wants to. */
  truth: ReadonlyMap<string, string>;
}

/** Chance exceeds it in one of a thousand million attempts. A copy has some hundred. */
const maxStrength = 6;

/** What everyone in the class sees with its time or its number, so that the rows are in this order anyway. */
const publicOrder = new Set([
  'classes',
  'messages',
  'log',
  'personas',
  'mentions',
  'reactions',
  'images',
  // Numbered.
  'cases',
  'auditLog',
  'announcements',
  'unmaskings',
]);

interface Item {
  /** A class, or an account. */
  label: string;
  place: Place;
  /** The values of the row, which begin with its key. */
  values: string;
}

/** The strength of each attack in standard deviations from what chance gives, by its name. */
export function attackAsRegistrar(copy: StolenCopy, registrar: Registrar): Map<string, number> {
  const { lists, truth } = registrar;
  const classIds = new Set([...lists.values()].flat());
  const ofClasses = listItems(copy, (value) => classIds.has(value));
  const ofAccounts = listItems(copy, (value) => lists.has(value));
  const strengths = new Map<string, number>();
  for (const [name, items] of ofClasses) {
    // A row that names an account and a class tells the set by itself, and adjacent keys are of one account.
    if (publicOrder.has(name.split(',')[0]!) || isOfTable(name, ofAccounts)) continue;
    strengths.set(`sets of classes in ${name}`, findSets(items, lists));
    for (const [accountName, accountItems] of ofAccounts) {
      if (isOfTable(accountName, ofClasses)) continue;
      const strength = alignAccounts(items, accountItems, lists);
      strengths.set(`${name}, in the order of ${accountName}`, strength);
    }
  }
  const firstSpeakers = listSpeakers(copy, truth, false);
  const lastSpeakers = listSpeakers(copy, truth, true);
  for (const [name, items] of ofAccounts) {
    strengths.set(`first words, ${name}`, compareWithSpeakers(items, firstSpeakers));
    strengths.set(`last words, ${name}`, compareWithSpeakers(items, lastSpeakers));
    for (const [className, classItems] of ofClasses) {
      if (name.split(',')[0] === className.split(',')[0]) continue;
      strengths.set(`${name} and ${className} at once`, findSimultaneous(items, classItems, lists));
    }
  }
  return strengths;
}

export function listSuccesses(strengths: ReadonlyMap<string, number>): string[] {
  return [...strengths]
    .filter(([, strength]) => strength > maxStrength)
    .map(([name, strength]) => `${name}: ${strength.toFixed(1)}`);
}

/** The columns of the accounts whose values have several sizes, which could tell rows apart. */
export function listVaryingSizes(copy: StolenCopy, tables: readonly string[]): string[] {
  return tables.flatMap((table) => {
    const rows = copy.tables.get(table) ?? [];
    return Object.keys(rows[0]?.values ?? {}).flatMap((column) => {
      const values = rows.map(({ values: row }) => row[column]).filter((value) => value !== null);
      const sizes = new Set(values.map((value) => toBytes(value).length));
      return sizes.size > 1 ? [`${table}.${column}`] : [];
    });
  });
}

/** The rows that name exactly one class or account, by their table and what tells their order. */
function listItems({ tables }: StolenCopy, isLabel: (value: string) => boolean) {
  const items = new Map<string, Item[]>();
  for (const [table, rows] of tables) {
    for (const { values, places } of rows) {
      const labels = new Set(Object.values(values).map(String).filter(isLabel));
      if (labels.size !== 1) continue;
      // Rows of one kind of register were written by one kind of act.
      const kind = 'kind' in values ? ` of ${String(values['kind'])}` : '';
      for (const [trace, place] of Object.entries(places)) {
        const name = `${table}, ${trace}${kind}`;
        const list = items.get(name) ?? [];
        list.push({ label: [...labels][0]!, place, values: String(Object.values(values)) });
        items.set(name, list);
      }
    }
  }
  return new Map([...items].filter(([, list]) => !isInKeyOrder(list)));
}

/** As in a backup, or after a move: such an order tells nothing. */
function isInKeyOrder(items: readonly Item[]): boolean {
  const ordered = items.toSorted(
    ({ place }, { place: other }) => place.group - other.group || place.at - other.at,
  );
  const ascents = ordered.filter(({ values }, n) => n > 0 && values > ordered[n - 1]!.values);
  return ascents.length > 0.9 * (items.length - 1);
}

const isOfTable = (name: string, orders: ReadonlyMap<string, unknown>) =>
  [...orders.keys()].some((other) => other.split(',')[0] === name.split(',')[0]);

/** The labels of each group in the order of the places; those at one place together. */
function toSequences(items: readonly Item[]): string[][][] {
  const groups = [...Map.groupBy(items, ({ place }) => place.group)];
  return groups
    .toSorted(([number], [otherNumber]) => number - otherNumber)
    .map(([, group]) =>
      [...Map.groupBy(group, ({ place }) => place.at)]
        .toSorted(([at], [otherAt]) => at - otherAt)
        .map(([, together]) => together.map(({ label }) => label)),
    );
}

/** How much larger the score is than with the labels of each group in another order. */
function compareWithChance(
  sequences: readonly string[][][],
  score: (sequences: readonly string[][][]) => number,
): number {
  const random = createRandom('registrar');
  const shuffle = (sequence: readonly string[][]): string[][] => {
    const labels = sequence.flat();
    for (let n = labels.length - 1; n > 0; n--) {
      const other = random.int(0, n);
      [labels[n], labels[other]] = [labels[other]!, labels[n]!];
    }
    let used = 0;
    return sequence.map(({ length }) => labels.slice(used, (used += length)));
  };
  const scores = Array.from({ length: 100 }, () => score(sequences.map(shuffle)));
  const mean = scores.reduce((sum, value) => sum + value, 0) / scores.length;
  const variance =
    scores.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (scores.length - 1);
  // A few rows give no normal distribution.
  if (variance < 1e-9 || sequences.flat(2).length < 12) return 0;
  return (score(sequences) - mean) / Math.sqrt(variance);
}

/** Rows of two classes that lie next to each other: does somebody take both classes? */
function findSets(items: readonly Item[], lists: Registrar['lists']): number {
  const counts = new Map<string, number>();
  for (const classIds of lists.values()) {
    for (const one of classIds) {
      for (const other of classIds) {
        const pair = `${one} ${other}`;
        if (one !== other) counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
  }
  const getCount = (one: string, other: string) => counts.get(`${one} ${other}`) ?? 0;
  return compareWithChance(toSequences(items), (sequences) => {
    let sum = 0;
    for (const sequence of sequences) {
      for (const [n, together] of sequence.entries()) {
        const next = sequence[n + 1] ?? [];
        for (const [m, one] of together.entries()) {
          for (const other of [...together.slice(m + 1), ...next]) sum += getCount(one, other);
        }
      }
    }
    return sum;
  });
}

/** Do the rows of classes follow each other as the accounts do that take these classes? Forwards or backwards. */
function alignAccounts(
  items: readonly Item[],
  accountItems: readonly Item[],
  lists: Registrar['lists'],
): number {
  const accounts = toSequences(accountItems).flat();
  const placesOfClass = new Map<string, number[]>();
  for (const [n, together] of accounts.entries()) {
    for (const classId of together.flatMap((accountId) => lists.get(accountId) ?? [])) {
      const places = placesOfClass.get(classId) ?? [];
      places.push(n / accounts.length);
      placesOfClass.set(classId, places);
    }
  }
  const width = 2 / Math.max(12, accounts.length);
  const align = (isBackwards: boolean) =>
    compareWithChance(toSequences(items), (sequences) => {
      let sum = 0;
      for (const sequence of sequences) {
        for (const [n, together] of sequence.entries()) {
          const at = isBackwards ? 1 - n / sequence.length : n / sequence.length;
          for (const place of together.flatMap((label) => placesOfClass.get(label) ?? [])) {
            sum += Math.exp(-(((at - place) / width) ** 2));
          }
        }
      }
      return sum;
    });
  return Math.max(align(false), align(true));
}

/** The accounts in the order of the first or of the last messages of their personas, which have times. */
function listSpeakers({ tables }: StolenCopy, truth: Registrar['truth'], isLast: boolean) {
  const messages = tables.get('messages')!.map(({ values }) => values);
  const ordered = messages.toSorted((a, b) => Number(a['createdAt']) - Number(b['createdAt']));
  if (isLast) ordered.reverse();
  return [...new Set(ordered.flatMap(({ memberId }) => truth.get(String(memberId)) ?? []))];
}

/** Kendall's tau in standard deviations, on the page or in the table that has the order best. */
function compareWithSpeakers(items: readonly Item[], speakers: readonly string[]): number {
  const groups = [...Map.groupBy(items, ({ place }) => place.group).values()];
  const strengths = groups.map((group) => {
    const places = new Map(group.map(({ label, place }) => [label, place.at]));
    return Math.abs(calculateKendall(speakers.flatMap((id) => places.get(id) ?? [])));
  });
  return Math.max(0, ...strengths);
}

/** Kendall’s tau in standard deviations: how well the values are in their order. */
export function calculateKendall(values: readonly number[]): number {
  const n = values.length;
  if (n < 6) return 0;
  let sum = 0;
  for (const [index, value] of values.entries()) {
    for (const other of values.slice(index + 1)) sum += Math.sign(other - value);
  }
  return sum / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
}

/** Rows of an account and of a class from one transaction: does the owner of the account take the class? */
function findSimultaneous(
  accountItems: readonly Item[],
  classItems: readonly Item[],
  lists: Registrar['lists'],
): number {
  // Places on pages are no transactions.
  if (accountItems[0]!.place.group !== 0) return 0;
  const classesAt = Map.groupBy(classItems, ({ place }) => place.at);
  const classCount = new Set([...lists.values()].flat()).size;
  let hits = 0;
  let expected = 0;
  let variance = 0;
  for (const { label, place } of accountItems) {
    const list = lists.get(label) ?? [];
    const together = classesAt.get(place.at) ?? [];
    // A rewrite of whole tables tells nothing.
    if (together.length > 4) continue;
    for (const item of together) {
      const chance = list.length / classCount;
      hits += Number(list.includes(item.label));
      expected += chance;
      variance += chance * (1 - chance);
    }
  }
  return variance < 1 ? 0 : (hits - expected) / Math.sqrt(variance);
}
