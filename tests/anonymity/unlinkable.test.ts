// One student in two classes: other members must not be able to pair them.
import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toPersonaIcon } from '#contract/persona-figure.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

describe('two classes of one student', () => {
  /** Every value that a member of the class sees of the other student. */
  async function listSeenIds(classId: string, watcher: TestClient): Promise<Set<string>> {
    const socket = await watcher.connect();
    const { epoch, seq, ...snapshot } = await socket.subscribe(classId);
    const params = { classId };
    const answers: unknown[] = [{ seq }, snapshot.messages, snapshot.personas];
    answers.push(await watcher.call('listMessages', { params, query: {} }));
    answers.push((await watcher.call('listMembers', { params, query: {} })).personas);
    socket.close();
    expect(epoch).toBeTruthy();
    return new Set(JSON.stringify(answers).match(/"[^"]{6,}"|\d{6,}/g));
  }

  /** @returns the values that both have in common */
  async function findCommonValues(students: readonly [TestClient, TestClient]): Promise<string[]> {
    const seenIds = [];
    for (const student of students) {
      const watcher = await app.createStudent();
      const classId = await watcher.createClass();
      await student.join(classId);
      const socket = await student.connectTo(classId);
      await socket.post(classId, `Something that is said here only: ${classId}`);
      const icon = toPersonaIcon((await socket.subscribe(classId)).me.memberId, 3);
      await student.call('changePersona', { params: { classId }, body: { icon } });
      socket.send({ type: 'read', classId, seq: 1 });
      socket.close();
      seenIds.push(await listSeenIds(classId, watcher));
    }
    return [...seenIds[0]!.intersection(seenIds[1]!)].toSorted();
  }

  test('two classes of one student have nothing in common but what two students’ classes have [ANON-1, ANON-3, ANON-6, CHAT-7]', async () => {
    const firstStudent = await app.createStudent();
    const other = await app.createStudent();

    const ofTwo = await findCommonValues([firstStudent, other]);

    expect(ofTwo).toContain('"Anonymous"');
    expect(await findCommonValues([firstStudent, firstStudent])).toEqual(ofTwo);
  });

  test('two classes of one student share no icon, color or order more often than by chance [ANON-1, ANON-6, PERSONA-16]', () => {
    const key = createSecretKey(Buffer.alloc(32, 3));
    const count = 4000;
    const listMemberIds = (salt: string) =>
      Array.from({ length: count }, (_, n) => computeMemberId(key, salt, `account ${n}`));
    const firstIds = listMemberIds('salt of the one');
    const secondIds = listMemberIds('salt of the other');

    for (const n of [0, 1, 7]) {
      const getSameShare = (toProperty: (seed: string) => unknown) =>
        firstIds.filter(
          (id, i) =>
            toProperty(toPersonaIcon(id, n)) === toProperty(toPersonaIcon(secondIds[i]!, n)),
        ).length / count;
      expect(getSameShare((seed) => JSON.stringify(toPersonaLook(seed)))).toBeLessThan(0.01);
      expect(getSameShare((seed) => toPersonaLook(seed).hue)).toBeCloseTo(1 / 12, 1);
      expect(getSameShare((seed) => toPersonaLook(seed).shape)).toBeLessThan(0.07);
    }

    const rankIds = (ids: readonly string[]) => {
      const sortedIds = ids.toSorted();
      const rank = new Map(sortedIds.map((id, n) => [id, n / count - 0.5]));
      return ids.map((id) => rank.get(id)!);
    };
    const a = rankIds(firstIds);
    const b = rankIds(secondIds);
    const correlation = (a.reduce((sum, x, n) => sum + x * b[n]!, 0) / count) * 12;
    expect(Math.abs(correlation)).toBeLessThan(0.08);
  });
});

describe('joining, leaving and reading', () => {
  test('a join, a leave and a read reach no other member [ANON-23, ANON-40, PERSONA-17]', async () => {
    const watcher = await app.createStudent();
    const classId = await watcher.createClass();
    const socket = await watcher.connect();
    const { seq } = await socket.subscribe(classId);
    const countBefore = socket.frames.length;
    const list = () => watcher.call('listMembers', { params: { classId }, query: {} });
    const notifications = await list();
    const student = await app.createStudent();
    await student.join(classId);
    const theirs = await student.connectTo(classId);

    theirs.send({ type: 'read', classId, seq: 0 });
    expect(await list()).toEqual(notifications);

    await student.leave(classId);
    await student.join(classId);
    expect(await list()).toEqual(notifications);

    // A notification would arrive before the next answer.
    const { seq: seqAfter } = await socket.subscribe(classId);
    expect(seqAfter).toBe(seq);
    expect(socket.frames.slice(countBefore).map(({ type }) => type)).toEqual(['snapshot', 'live']);
    expect((await watcher.call('readClass', { params: { classId } })).class.memberCount).toBe(2);
  });
});
