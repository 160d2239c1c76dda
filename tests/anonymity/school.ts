// Two classes that the same students take, with their memberIds.
import { randomInt } from 'node:crypto';
import type { LiveEnd, Student } from '../../scripts/student.ts';
import { enter, joinClass, newClass, post, type RunningApp } from '../app/running-app.ts';

/**
 * With so many students chance pairs one of them on average, and nine or more in one of a million attempts.
 */
export const size = 24;
export const byChance = 8;

export interface TakenClass {
  classId: string;
  /** Account ids to memberIds. */
  truth: ReadonlyMap<string, string>;
  members: ReadonlyMap<Student, string>;
}

/**
 * Students join in one order and appear in another, with different orders in each class.
 *
 * @param silent no student posts
 */
export async function fillSchool(app: RunningApp, silent = false): Promise<TakenClass[]> {
  const students: Student[] = [];
  for (let n = 0; n < size; n++) students.push(await app.newStudent());
  const owner = await app.newStudent();
  const classIds = [await newClass(owner), await newClass(owner, { courseNumber: '7' })];
  for (const classId of classIds) {
    for (const student of shuffled(students)) await joinClass(student, classId);
  }
  const accounts = await app.database.query('select id, email from accounts');
  const idOf = new Map(accounts.map(({ id, email }) => [String(email), String(id)]));
  const classes: TakenClass[] = [];
  for (const classId of classIds) {
    const members = new Map<Student, string>();
    for (const student of shuffled(students)) {
      const live = await student.connect();
      members.set(student, (await enter(live, classId)).me.memberId);
      if (!silent) await appear(student, live, classId, members.size);
      live.close();
    }
    const truth = new Map([...members].map(([{ email }, id]) => [idOf.get(email) ?? '', id]));
    classes.push({ classId, truth, members });
  }
  return classes;
}

/** Some students choose a name, the others post. Each has another read position. */
async function appear(student: Student, live: LiveEnd, classId: string, n: number): Promise<void> {
  if (randomInt(2) === 0) {
    const body = { anonymousName: `Bird ${n}` };
    await student.call('changePersona', { params: { classId }, body });
  }
  await post(live, classId, `Hello for the ${n}th time`);
  live.send({ type: 'read', classId, seq: n });
}

export function shuffled<Item>(list: Iterable<Item>): Item[] {
  const left = [...list];
  return Array.from({ length: left.length }, () => left.splice(randomInt(left.length), 1)).flat();
}
