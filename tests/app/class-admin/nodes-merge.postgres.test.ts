// A merge at one of several nodes, on PostgreSQL with Redis.
import { describe, expect, test } from 'vitest';
import { grantRole } from '#tests/support/moderation.ts';
import { addSilentMembers, mergeAll } from '#tests/support/merging.ts';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';

describe.skipIf(!redisCommand)('two nodes', () => {
  const nodes = setUpNodes(2);

  test('two nodes merge two classes once, and browsers at both nodes learn of it [ADMIN-47, ADMIN-48]', async () => {
    const app = nodes.apps[0]!;
    const operator = await app.createStudent();
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    await grantRole(app, operator, null, 'Kim');
    const keptId = await ada.createClass();
    const duplicateId = await ben.createClass();
    await addSilentMembers(app, 120, [duplicateId]);
    const tabs = [0, 1].map((node) => nodes.at(node, ben));
    const sockets = await Promise.all(tabs.map((tab) => tab.connectTo(duplicateId)));
    // Two operators at the same time, each at another node.
    await Promise.all(
      [0, 1].map((node) => mergeAll(nodes.at(node, operator), duplicateId, keptId)),
    );

    for (const socket of sockets) {
      await socket.waitFor('enrolment', (frame) => frame.classId === keptId && frame.joined);
      const { items } = await socket.waitFor('events', (frame) => frame.classId === duplicateId);
      expect(items).toMatchObject([{ kind: 'class', class: { ended: true } }]);
    }
    for (const tab of tabs) {
      const { class: keptClass, joined } = await tab.call('readClass', {
        params: { classId: keptId },
      });
      expect([joined, keptClass.memberCount]).toEqual([true, 122]);
    }

    const { entries } = await operator.call('listAuditLog', { query: {} });
    expect(entries.filter((entry) => entry.classId === duplicateId).map(({ act }) => act)).toEqual([
      'end-class',
      'merge-class',
    ]);
  });
});
