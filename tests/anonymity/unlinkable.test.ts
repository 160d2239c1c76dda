// One student in two classes, and accounts with their personas: an attacker must not be able to pair them.
import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personaIcon } from '#contract/persona-icon.ts';
import { memberIdOf } from '#server/domain/member-id.ts';
import { personaLook } from '#web/ui/persona-look.ts';
import type { Student } from '../../scripts/student.ts';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from '../app/running-app.ts';
import { attack, hits } from './attack.ts';
import { byChance, fillSchool, type TakenClass } from './school.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('a copy of the database, without the server’s key', () => {
  let classes: TakenClass[];
  beforeAll(async () => {
    classes = await fillSchool(app);
  });

  // While the server runs, the write-ahead log has each commit. After a clean stop its rows are on the pages.
  test.each(['while the server runs', 'after a clean stop'])(
    'pairs nobody with a persona, %s: by order, key, place, transaction, size or time [ANON-6, ANON-7, ANON-21]',
    async (when) => {
      if (when === 'after a clean stop') await app.restart();
      for (const taken of classes) {
        const attempts = await attack(app, taken);
        expect(attempts.size).toBeGreaterThan(9);
        for (const [way, right] of attempts) expect(right, way).toBeLessThanOrEqual(byChance);
      }
    },
  );

  test('pairs nobody’s two personas: by order, key or any value [ANON-2, ANON-21]', async () => {
    const [one, other] = classes as [TakenClass, TakenClass];
    const pairs = new Map([...one.members].map(([who, id]) => [id, other.members.get(who)!]));
    const listed = async ({ classId }: TakenClass, order: string) => {
      const sql = `select "memberId" from personas where "classId" = '${classId}' ${order}`;
      return (await app.database.query(sql)).map(({ memberId }) => String(memberId));
    };
    for (const order of ['', 'order by "memberId"', 'order by "readSeq", "memberId"']) {
      const [mine, theirs] = [await listed(one, order), await listed(other, order)];
      const guess = mine.map((id, n) => [id, theirs[n] ?? ''] as const);
      expect(hits(guess, pairs), order).toBeLessThanOrEqual(byChance);
    }
    const rows = Object.values(await app.database.tables()).flat();
    const texts = rows.map((row) => JSON.stringify(row));
    for (const [a, b] of pairs) {
      expect(texts.filter((text) => text.includes(a) && text.includes(b))).toEqual([]);
    }
  });

  test('knows no time of an enrolment, an account or a session that is finer than a day [ANON-7, JOIN-10]', async () => {
    const { enrolments, personas } = await app.database.tables();
    const today = Math.floor(Date.now() / 86_400_000);
    for (const { joinedDay } of enrolments!)
      expect([today, today - 1]).toContain(Number(joinedDay));
    expect(Object.keys(personas![0]!).toSorted()).toEqual([
      ...['anonymousName', 'classId', 'icon', 'memberId', 'nameKey', 'readSeq'],
    ]);
  });
});

describe('two classes of one student', () => {
  /** Every value that a member of the class sees of the other student. */
  async function seenIn(classId: string, by: Student): Promise<Set<string>> {
    const live = await by.connect();
    const { epoch, seq, ...snapshot } = await enter(live, classId);
    const params = { classId };
    const answers: unknown[] = [{ seq }, snapshot.messages, snapshot.personas];
    answers.push(await by.call('listMessages', { params, query: {} }));
    answers.push((await by.call('listMembers', { params })).personas);
    live.close();
    expect(epoch).toBeTruthy();
    return new Set(JSON.stringify(answers).match(/"[^"]{6,}"|\d{6,}/g));
  }

  /** @returns the values that both have in common */
  async function common(students: readonly [Student, Student]): Promise<string[]> {
    const seen = [];
    for (const student of students) {
      const watcher = await app.newStudent();
      const classId = await newClass(watcher);
      await joinClass(student, classId);
      const live = await student.connect();
      await enter(live, classId);
      await post(live, classId, `Something that is said here only: ${classId}`);
      const icon = personaIcon((await enter(live, classId)).me.memberId, 3);
      await student.call('changePersona', { params: { classId }, body: { icon } });
      live.send({ type: 'read', classId, seq: 1 });
      live.close();
      seen.push(await seenIn(classId, watcher));
    }
    return [...seen[0]!.intersection(seen[1]!)].toSorted();
  }

  test('have nothing in common but what two students’ classes have [ANON-2, ANON-3, ANON-21, CHAT-7]', async () => {
    const [one, other] = [await app.newStudent(), await app.newStudent()];
    const ofTwo = await common([one, other]);
    expect(ofTwo).toContain('"Anonymous"');
    expect(await common([one, one])).toEqual(ofTwo);
  });

  test('share no icon, colour or order more often than chance has it [ANON-2, ANON-21, PERSONA-16]', () => {
    const key = createSecretKey(Buffer.alloc(32, 3));
    const count = 4000;
    const idsIn = (salt: string) =>
      Array.from({ length: count }, (_, n) => memberIdOf(key, salt, `account ${n}`));
    const [ones, others] = [idsIn('salt of the one'), idsIn('salt of the other')];
    for (const n of [0, 1, 7]) {
      const same = (of: (seed: string) => unknown) =>
        ones.filter((id, i) => of(personaIcon(id, n)) === of(personaIcon(others[i]!, n))).length /
        count;
      expect(same((seed) => JSON.stringify(personaLook(seed)))).toBeLessThan(0.01);
      expect(same((seed) => personaLook(seed).hue)).toBeCloseTo(1 / 12, 1);
      expect(same((seed) => personaLook(seed).shape)).toBeLessThan(0.07);
    }
    const ranks = (ids: readonly string[]) => {
      const sorted = ids.toSorted();
      const rank = new Map(sorted.map((id, n) => [id, n / count - 0.5]));
      return ids.map((id) => rank.get(id)!);
    };
    const [a, b] = [ranks(ones), ranks(others)];
    const correlation = (a.reduce((sum, x, n) => sum + x * b[n]!, 0) / count) * 12;
    expect(Math.abs(correlation)).toBeLessThan(0.08);
  });
});

describe('joining, leaving and reading', () => {
  test('reach no member: not by a frame, not in the log, not in the list [ANON-10, ANON-23, PERSONA-17]', async () => {
    const watcher = await app.newStudent();
    const classId = await newClass(watcher);
    const live = await watcher.connect();
    const { seq } = await enter(live, classId);
    const before = live.frames.length;
    const list = () => watcher.call('listMembers', { params: { classId } });
    const listed = await list();
    const student = await app.newStudent();
    await joinClass(student, classId);
    const theirs = await student.connect();
    await enter(theirs, classId);
    theirs.send({ type: 'read', classId, seq: 0 });
    expect(await list()).toEqual(listed);
    await student.call('leaveClass', { params: { classId } });
    await joinClass(student, classId);
    expect(await list()).toEqual(listed);
    // A notification would arrive before the next answer.
    const { seq: after } = await enter(live, classId);
    expect(after).toBe(seq);
    expect(live.frames.slice(before).map(({ type }) => type)).toEqual(['snapshot', 'live']);
    expect((await watcher.call('readClass', { params: { classId } })).class.memberCount).toBe(2);
  });
});
