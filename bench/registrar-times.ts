// Prints how many newcomers a registrar names who has everyone's class lists and sees only how member counts grow: in thirty daily
// copies of a database, or in a whole log of its changes. Counts change with each join, so this is what remains to a thief.
import { createRandom, type Random } from '#tests/support/random.ts';

interface School {
  listed: number;
  classes: number;
  /** How many of those listed sign up in the month. */
  newcomers: number;
}

const schools: readonly School[] = [
  { listed: 300, classes: 30, newcomers: 150 },
  { listed: 2500, classes: 120, newcomers: 1000 },
  { listed: 20_000, classes: 900, newcomers: 8000 },
];
const days = 30;
const hoursOfDay = 12;
/** The time in which a newcomer joins all classes. */
const joiningMs = 2 * 60_000;

interface Join {
  at: number;
  classId: number;
  student: number;
}

const toKey = (classIds: Iterable<number>) => [...classIds].toSorted((a, b) => a - b).join();

/** Five classes each, three of them of the own programme. */
function createLists({ listed, classes }: School, random: Random): number[][] {
  return Array.from({ length: listed }, (_, student) => {
    const programme = (student % (classes / 10)) * 10;
    const list = new Set<number>();
    while (list.size < 3) list.add(programme + random.int(0, 9));
    while (list.size < 5) list.add(random.int(0, classes - 1));
    return [...list];
  });
}

/** Most newcomers come in the first week. */
function simulateJoins(school: School, lists: readonly number[][], random: Random): Join[] {
  const students = new Set<number>();
  while (students.size < school.newcomers) students.add(random.int(0, school.listed - 1));
  return [...students]
    .flatMap((student) => {
      const day = random.chance(0.6) ? random.int(0, 6) : random.int(7, days - 1);
      const start =
        (day * 24 + random.int(0, hoursOfDay - 1)) * 3_600_000 + random.int(0, 3_599_999);
      return lists[student]!.map((classId) => ({
        at: start + random.int(0, joiningMs),
        classId,
        student,
      }));
    })
    .toSorted((join, other) => join.at - other.at);
}

/** Names whoever alone has exactly the classes that grew together. */
function countNamed(groups: readonly (readonly Join[])[], lists: readonly number[][]) {
  const owners = Map.groupBy(lists.keys(), (student) => toKey(lists[student]!));
  let right = 0;
  let named = 0;
  for (const group of groups) {
    const candidates = owners.get(toKey(group.map(({ classId }) => classId))) ?? [];
    if (candidates.length !== 1) continue;
    named += 1;
    if (group.every(({ student }) => student === candidates[0])) right += 1;
  }
  return { right, named };
}

/** Joins with less than a minute between them. */
function splitByPauses(joins: readonly Join[]): Join[][] {
  const groups: Join[][] = [];
  for (const join of joins) {
    const last = groups.at(-1)?.at(-1);
    if (last && join.at - last.at < joiningMs / 2) groups.at(-1)!.push(join);
    else groups.push([join]);
  }
  return groups;
}

for (const school of schools) {
  const random = createRandom(school.listed);
  const lists = createLists(school, random);
  const joins = simulateJoins(school, lists, random);
  const daily = [...Map.groupBy(joins, ({ at }) => Math.floor(at / 86_400_000)).values()];
  for (const [name, groups] of Object.entries({ copies: daily, log: splitByPauses(joins) })) {
    const { right, named } = countNamed(groups, lists);
    console.log(
      `${school.listed} listed, ${school.classes} classes, ${school.newcomers} newcomers in ${days} days, ${name}: ` +
        `${right} named right, ${named - right} named wrong`,
    );
  }
}
