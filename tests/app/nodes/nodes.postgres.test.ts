// Three servers on one PostgreSQL database, connected by Redis.
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { closeCodes } from '#contract/socket-address.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';
import { askPrivately, listForStaff } from '#tests/support/private-questions.ts';
import {
  ask,
  listNumbers,
  publishVotesSoon,
  vote,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

/** @returns the entries that a socket received after it subscribed, in order */
const listSeqs = ({ frames }: TestSocket, classId: string) =>
  frames.flatMap((frame) =>
    frame.type === 'events' && frame.classId === classId ? frame.items.map(({ seq }) => seq) : [],
  );
const listTexts = ({ frames }: TestSocket) =>
  frames.flatMap((frame) =>
    frame.type === 'events'
      ? frame.items.flatMap((item) => (item.kind === 'posted' ? [item.message.text] : []))
      : [],
  );

publishVotesSoon();

describe.skipIf(!redisCommand)('three nodes', () => {
  const nodes = setUpNodes(3);

  /** Creates a class with a member at each node, all of whom have it on screen. */
  async function openRoom() {
    const people = await Promise.all([
      nodes.apps[0]!.createStudent(),
      nodes.apps[0]!.createStudent(),
      nodes.apps[0]!.createStudent(),
    ]);
    const classId = await people[0].createClass();
    for (const person of people.slice(1)) await person.join(classId);
    const clients = people.map((person, node) => nodes.at(node, person));
    const sockets = await Promise.all(clients.map((client) => client.connectTo(classId)));
    return { classId, clients, sockets };
  }

  test('a message reaches the members at every node [NODE-1]', async () => {
    const { classId, sockets } = await openRoom();
    for (const [node, socket] of sockets.entries()) {
      await socket.post(classId, `from node ${node}`);
      for (const openSocket of sockets) {
        await expect.poll(() => listTexts(openSocket)).toContain(`from node ${node}`);
      }
    }
  });

  test('messages of all nodes have one order without gaps [NODE-3]', async () => {
    const { classId, sockets } = await openRoom();
    await Promise.all(
      sockets.flatMap((socket, node) =>
        Array.from({ length: 40 }, (_, i) => socket.post(classId, `${node} ${i}`)),
      ),
    );

    for (const socket of sockets) await expect.poll(() => listTexts(socket)).toHaveLength(120);
    const [first = []] = sockets.map((socket) => listSeqs(socket, classId));
    expect(first).toEqual(first.map((_, i) => first[0]! + i));
    for (const socket of sockets) {
      expect(listSeqs(socket, classId)).toEqual(first);
      expect(listTexts(socket)).toEqual(listTexts(sockets[0]!));
    }
  });

  test('a message that one node edits and another deletes stays deleted [LOG-86]', async () => {
    const { classId, clients, sockets } = await openRoom();
    const tabs = [sockets[0]!, await nodes.at(1, clients[0]!).connectTo(classId)] as const;
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await sockets[0]!.post(classId, `no. ${n}`)).id),
    );

    await Promise.all(
      ids.flatMap((messageId) => [
        tabs[0].request({ type: 'edit', classId, messageId, text: 'an edited text' }),
        tabs[1].request({ type: 'delete', classId, messageId }),
      ]),
    );

    const storedRows = await nodes.database.query(
      `select deleted, text from messages where "classId" = '${classId}'`,
    );
    expect(storedRows).toEqual(ids.map(() => ({ deleted: 1, text: '' })));
  });

  test('unread counts follow the messages of other nodes [NODE-1]', async () => {
    const { classId, clients, sockets } = await openRoom();
    const lightSocket = await clients[1]!.connect();
    lightSocket.send({ type: 'subscribe', rid: 1, classId, light: true });
    await lightSocket.waitFor('unread');

    await sockets[0]!.post(classId, 'unread at another node');

    expect(await lightSocket.waitFor('activity')).toMatchObject({
      classId,
      posted: 1,
      mentions: 0,
    });
  });

  test('a vote reaches the voter’s devices at other nodes, and its number reaches everyone [QUEST-3, QUEST-7, NODE-1]', async () => {
    const { classId, clients, sockets } = await openRoom();
    const questionId = await ask(sockets[0]!, classId);
    const secondDevice = await nodes.at(2, clients[1]!).connect();

    await vote(sockets[1]!, classId, questionId);

    for (const socket of sockets) await waitForQuestion(socket, questionId, { votes: 1 });
    const voted = { type: 'voted', classId, messageId: questionId, voted: true };
    expect(await secondDevice.waitFor('voted')).toEqual(voted);
    const notices = [0, 2].flatMap((node) => sockets[node]!.frames.map(({ type }) => type));
    expect(notices).not.toContain('voted');
  });

  test('two nodes that count votes publish each number once [QUEST-7]', async () => {
    const { classId, sockets } = await openRoom();
    const questionId = await ask(sockets[0]!, classId);

    await Promise.all([
      vote(sockets[1]!, classId, questionId),
      vote(sockets[2]!, classId, questionId),
    ]);
    await waitForQuestion(sockets[0]!, questionId, { votes: 2 });
    await sockets[0]!.post(classId, 'after the numbers');

    await expect.poll(() => listTexts(sockets[2]!)).toContain('after the numbers');
    const numbers = listNumbers(sockets[2]!, questionId);
    expect(numbers).toEqual(numbers.length === 1 ? [2] : [1, 2]);
  });

  test('every node tells its browsers to read the private questions again [PRIV-6, NODE-1]', async () => {
    const { classId, clients, sockets } = await openRoom();
    await grantStaff(nodes.apps[0]!, clients[0]!, classId, 'Prof. Lee');

    await askPrivately(clients[1]!, classId);

    for (const socket of sockets) {
      expect(await socket.waitFor('privateChanged')).toEqual({ type: 'privateChanged', classId });
    }
    expect(await listForStaff(clients[0]!, classId)).toHaveLength(1);
  });

  test('a typing notice reaches the members at other nodes [NODE-1]', async () => {
    const { classId, sockets } = await openRoom();
    sockets[0]!.send({ type: 'typing', classId });

    for (const socket of sockets.slice(1)) {
      expect(await socket.waitFor('typing')).toEqual({ type: 'typing', classId });
    }

    await sockets[0]!.post(classId, 'typed');
    expect(sockets[0]!.frames.filter(({ type }) => type === 'typing')).toEqual([]);
  });

  test('the notices in Redis reveal neither class nor text nor person [NODE-5]', async () => {
    const redisSocket = connect(nodes.redis.port, '127.0.0.1');
    let watched = '';
    redisSocket.setEncoding('latin1').on('data', (text: string) => (watched += text));
    await once(redisSocket, 'connect');
    redisSocket.write('MONITOR\r\n');

    await expect.poll(() => watched).toContain('OK');

    const { classId, clients, sockets } = await openRoom();
    sockets[0]!.send({ type: 'typing', classId });
    await sockets[0]!.post(classId, 'a text that only members read');
    await expect.poll(() => listTexts(sockets[1]!)).toHaveLength(1);
    await expect.poll(() => watched).toMatch(/"publish" "backchannel:/i);

    const { message } = sockets[1]!.frames
      .flatMap((frame) => (frame.type === 'events' ? frame.items : []))
      .find((item) => item.kind === 'posted')!;
    const accounts = await nodes.database.query('select id from accounts');
    const ids = accounts.map(({ id }) => String(id));
    const sessions = await nodes.database.query('select id from sessions');
    const secrets = [classId, message.id, message.memberId, 'only members', clients[0]!.email];
    for (const secret of [...secrets, ...ids, ...sessions.map(({ id }) => String(id))]) {
      expect(watched.includes(secret)).toBe(false);
    }

    redisSocket.destroy();
  });

  test('the other tabs of a student follow at every node [NODE-9]', async () => {
    const { classId, clients, sockets } = await openRoom();
    const tab = clients[0]!;
    const otherClient = nodes.at(2, clients[0]!);
    const localSocket = await tab.connectTo(classId);
    const remoteSocket = await otherClient.connectTo(classId);
    const { seq = 0 } = (await sockets[1]!.post(classId, 'to be read')) as { seq?: number };
    await localSocket.waitFor('events', ({ to }) => to >= seq);
    localSocket.send({ type: 'read', classId, seq });

    expect(await remoteSocket.waitFor('read')).toEqual({ type: 'read', classId, seq });

    const preferences = { ignored: [], hidden: [], muted: true, version: 0 };
    await tab.call('savePreferences', { params: { classId }, body: preferences });
    expect(await remoteSocket.waitFor('preferences')).toMatchObject({
      classId,
      muted: true,
      version: 1,
    });

    await tab.leave(classId);
    expect(await remoteSocket.waitFor('reset')).toEqual({ type: 'reset', classId, reason: 'left' });

    const leaveFrame = await remoteSocket.waitFor('enrolment', ({ joined }) => !joined);
    expect(leaveFrame).toEqual({ type: 'enrolment', classId, joined: false });
  });

  test('a new socket sees a read position that another node has not written yet [NODE-10]', async () => {
    const { classId, clients, sockets } = await openRoom();
    await sockets[1]!.post(classId, 'one');
    const { seq } = await sockets[0]!.waitFor('events').then(({ to }) => ({ seq: to }));

    sockets[0]!.send({ type: 'read', classId, seq });
    const getReadSeq = async () => {
      const socket = await nodes.at(2, clients[0]!).connectTo(classId);
      const { readSeq } = await socket.waitFor('live');
      socket.close();
      return readSeq;
    };
    await expect.poll(getReadSeq).toBe(seq);
  });

  test('a class that one node creates is found at every node [NODE-9]', async () => {
    const author = await nodes.apps[0]!.createStudent();
    const classId = await author.createClass({ courseName: 'Underwater Basketry' });

    for (const node of [0, 1, 2]) {
      await expect
        .poll(async () =>
          (await findClasses(nodes.at(node, author), 'underwater')).hits.map((hit) => hit.objectID),
        )
        .toEqual([classId]);
    }
  });

  test('a session that ends at one node ends at every node within two seconds [NODE-8]', async () => {
    const { classId, clients } = await openRoom();
    const remoteSocket = await nodes.at(2, clients[0]!).connectTo(classId);
    await clients[0]!.call('signOut', {});
    const endedAt = performance.now();

    expect(await remoteSocket.closed).toBe(closeCodes.signedOut);
    await expect
      .poll(() =>
        nodes
          .at(1, clients[0]!)
          .call('listClasses', {})
          .catch((error: AppError) => error.code),
      )
      .toBe('UNAUTHENTICATED');
    expect(performance.now() - endedAt).toBeLessThan(4_000);
  });

  test('each node lists a class as soon as another node has enrolled the account, and no longer after it has left [NODE-4]', async () => {
    const owner = await nodes.apps[0]!.createStudent();
    const student = await nodes.apps[0]!.createStudent();
    const tabs = [0, 1, 2].map((node) => nodes.at(node, student));
    const listClasses = async (tab: (typeof tabs)[number]) =>
      (await tab.call('listClasses', {})).classes.map(({ classId }) => classId);
    for (const [node, tab] of tabs.entries()) {
      const classId = await owner.createClass();
      await tab.join(classId);
      for (const otherTab of tabs) expect(await listClasses(otherTab)).toEqual([classId]);
      await tabs[(node + 1) % 3]!.leave(classId);
      for (const otherTab of tabs) expect(await listClasses(otherTab)).toEqual([]);
    }
  });

  test('the browsers of a stopping node reconnect at separate times [NODE-15, WIRE-9]', async () => {
    const people = [await nodes.apps[0]!.createStudent(), await nodes.apps[0]!.createStudent()];
    const connections = people.flatMap((person) =>
      Array.from({ length: 90 }, () => nodes.at(1, person).connect()),
    );
    const leaving = await Promise.all(connections);
    const staying = await nodes.at(2, people[0]!).connect();
    await nodes.apps[1]!.restart();
    const delays = await Promise.all(
      leaving.map(async (socket) => (await socket.waitFor('bye')).retryAfterMs),
    );

    // Some browsers reconnect in each of the ten seconds, and most of them in none.
    for (let second = 0; second < 10; second++) {
      const delaysInSecond = delays.filter(
        (delay) => Math.min(9, Math.floor(delay / 1000)) === second,
      );
      expect(delaysInSecond.length).toBeGreaterThan(0);
      expect(delaysInSecond.length).toBeLessThan(delays.length / 3);
    }
    expect(staying.frames.map(({ type }) => type)).not.toContain('bye');
    expect(staying.webSocket.readyState).toBe(staying.webSocket.OPEN);
  });

  test('one node has the lease on background work [NODE-2]', async () => {
    const rows = await nodes.database.query('select name from leases');
    expect(rows).toEqual([{ name: 'background' }]);
  });
});

describe.skipIf(!redisCommand)('two nodes', () => {
  const nodes = setUpNodes(2);
  const connected = ['ready', 'ready'];

  test('messages arrive within seconds and in order while Redis is gone [NODE-4]', async () => {
    await expect.poll(nodes.readiness).toEqual(connected);

    const author = await nodes.apps[0]!.createStudent();
    const reader = await nodes.apps[0]!.createStudent();
    const classId = await author.createClass();
    await reader.join(classId);
    const localSocket = await author.connectTo(classId);
    const remoteSocket = await nodes.at(1, reader).connectTo(classId);
    await nodes.redis.kill();
    for (let i = 0; i < 10; i++) await localSocket.post(classId, `without ${i}`);
    await expect.poll(() => listTexts(remoteSocket)).toEqual(listTexts(localSocket));
    await expect
      .poll(nodes.readiness)
      .toEqual(connected.map((text) => `${text}, but Redis is gone`));

    // Someone who opens the class now follows it, too.
    const lateSocket = await nodes.at(1, author).connectTo(classId);
    await localSocket.post(classId, 'for a late socket');
    await expect.poll(() => listTexts(lateSocket)).toEqual(['for a late socket']);

    await nodes.redis.start();
    await expect.poll(nodes.readiness).toEqual(connected);

    await localSocket.post(classId, 'with Redis again');
    await expect.poll(() => listTexts(remoteSocket)).toEqual(listTexts(localSocket));
    expect(listSeqs(remoteSocket, classId)).toEqual(listSeqs(localSocket, classId));
  });

  test('without Redis, a session that ends at one node ends at the other one too [NODE-8]', async () => {
    const student = await nodes.apps[0]!.createStudent();
    const classId = await student.createClass();
    await nodes.redis.kill();
    const remoteSocket = await nodes.at(1, student).connectTo(classId);

    await student.call('signOut', {});

    expect(await remoteSocket.closed).toBe(closeCodes.signedOut);

    await nodes.redis.start();
    await expect.poll(nodes.readiness).toEqual(connected);
  });

  test('a tab at another node ends a class that its member left while Redis was gone [NODE-9]', async () => {
    const student = await nodes.apps[0]!.createStudent();
    const classIds = [await student.createClass(), await student.createClass()];
    const remoteSocket = await nodes.at(1, student).connectTo(classIds[0]!);
    await remoteSocket.subscribe(classIds[1]!);
    await nodes.redis.kill();

    await student.leave(classIds[0]!);
    await nodes.redis.start();

    await remoteSocket.waitFor('enrolment', ({ joined }) => !joined);
    const resets = remoteSocket.frames.filter(({ type }) => type === 'reset');
    expect(resets).toEqual([{ type: 'reset', classId: classIds[0], reason: 'left' }]);
    await expect.poll(nodes.readiness).toEqual(connected);
  });

  test('while Redis is suspended, no commit of two nodes waits for it [NODE-4]', async () => {
    const author = await nodes.apps[0]!.createStudent();
    const reader = await nodes.apps[0]!.createStudent();
    const classId = await author.createClass();
    await reader.join(classId);
    const localSocket = await author.connectTo(classId);
    const remoteSocket = await nodes.at(1, reader).connectTo(classId);
    nodes.redis.pause();
    for (let i = 0; i < 10; i++) await localSocket.post(classId, `suspended ${i}`);

    await expect.poll(() => listTexts(remoteSocket)).toEqual(listTexts(localSocket));

    nodes.redis.resume();
    await localSocket.post(classId, 'afterwards');
    await expect.poll(() => listTexts(remoteSocket)).toEqual(listTexts(localSocket));
    expect(listSeqs(remoteSocket, classId)).toEqual(listSeqs(localSocket, classId));
    await expect.poll(nodes.readiness).toEqual(connected);
  });
});
