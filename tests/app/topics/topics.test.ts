// Topics: the list that staff keep, messages of a topic, moves, and what a member who mutes a topic is spared.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();

type Topics = readonly { topicId?: string; name: string; archived?: true }[];

const getSettings = async (client: TestClient, classId: string) =>
  (await client.call('readClassSettings', { params: { classId } })).settings;

async function saveTopics(staff: TestClient, classId: string, topics: Topics) {
  const { version } = await getSettings(staff, classId);
  const body = { version, topics: [...topics] };
  return (await staff.call('changeTopics', { params: { classId }, body })).settings;
}

/** Ada is staff. The class has the topics 'Homework' and 'Exam', and Ben is another member. */
async function createClassWithTopics() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantStaff(app, ada, classId, 'Prof. Lee');
  const { topics = [] } = await saveTopics(ada, classId, [
    { name: ' Homework ' },
    { name: 'Exam' },
  ]);
  const [homework, exam] = topics.map(({ topicId }) => topicId) as [string, string];
  const socket = await ben.connectTo(classId);
  return { ada, ben, classId, homework, exam, socket };
}

async function post(socket: TestSocket, classId: string, fields: object = {}): Promise<string> {
  const id = randomUUID();
  const frame = { type: 'post', classId, id, text: 'Hello', ...fields };
  expect(await socket.request(frame)).toMatchObject({ type: 'ack' });
  return id;
}

const move = (
  client: TestClient,
  classId: string,
  messageId: string,
  topicId: string | null,
): Promise<unknown> =>
  client.call('moveMessage', { params: { classId, messageId }, body: { topicId } });

async function findTopic(client: TestClient, classId: string, messageId: string) {
  const { messages } = await client.snapshot(classId);
  return messages.find(({ id }) => id === messageId)?.topicId;
}

const listIds = async (client: TestClient, classId: string, query: object) => {
  const page = await client.call('listMessages', { params: { classId }, query });
  return { ...page, ids: page.messages.map(({ id }) => id) };
};

describe('the list of topics', () => {
  test('staff add, rename, order and archive topics, which the whole class sees [TOPIC-1]', async () => {
    const { ada, ben, classId, homework, exam, socket } = await createClassWithTopics();

    const topics = [
      { topicId: exam, name: 'Final exam' },
      { topicId: homework, name: 'Homework', archived: true },
      { name: 'Project' },
    ] as const;
    const { version } = await saveTopics(ada, classId, topics);

    const expected = [topics[0], topics[1], { name: 'Project' }];
    expect(await getSettings(ben, classId)).toMatchObject({ version, topics: expected });
    const { items } = await socket.waitFor('events', (frame) => frame.items.length > 0);
    expect(items).toMatchObject([{ kind: 'settings', settings: { topics: expected } }]);
    await app.restart();
    expect((await ben.snapshot(classId)).settings?.topics).toMatchObject(expected);
  });

  test('a list that lacks a topic, repeats a name or is outdated is rejected [TOPIC-1]', async () => {
    const { ada, ben, classId, homework, exam } = await createClassWithTopics();
    const known = [
      { topicId: homework, name: 'Homework' },
      { topicId: exam, name: 'Exam' },
    ];
    const names = Array.from({ length: limits.topics - 1 }, (_, n) => ({ name: `Week ${n}` }));

    const reject = (topics: Topics, code: string) =>
      expect(saveTopics(ada, classId, topics)).rejects.toMatchObject({ code });

    await reject(known.slice(1), 'SETTINGS_CHANGED');
    await reject([known[0]!, known[0]!, known[1]!], 'INVALID');
    await reject([...known, { name: 'EXAM ' }], 'INVALID');
    await reject([...known, { name: '  ' }], 'INVALID');
    await reject([...known, { name: 'x'.repeat(limits.topicName + 1) }], 'INVALID');
    await reject([...known, ...names], 'INVALID');
    const outdated = { params: { classId }, body: { version: 0, topics: known } };
    await expect(ada.call('changeTopics', outdated)).rejects.toMatchObject({
      code: 'SETTINGS_CHANGED',
    });
    await expect(saveTopics(ben, classId, known)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  });
});

describe('a message', () => {
  test('has the topic of its post, and a reply that of its source [TOPIC-2]', async () => {
    const { ada, ben, classId, homework, exam, socket } = await createClassWithTopics();

    const id = await post(socket, classId, { topicId: homework });
    const replyId = await post(socket, classId, { replyTo: id, topicId: exam });
    const plainId = await post(socket, classId);
    const plainReplyId = await post(socket, classId, { replyTo: plainId, topicId: exam });
    const strangeId = await post(socket, classId, { topicId: 'A'.repeat(16) });
    await saveTopics(ada, classId, [
      { topicId: homework, name: 'Homework', archived: true },
      { topicId: exam, name: 'Exam' },
    ]);
    // A browser that was offline when the topic was archived.
    const lateId = await post(socket, classId, { topicId: homework });

    const { messages } = await ben.snapshot(classId);
    const found = Object.fromEntries(messages.map((message) => [message.id, message.topicId]));
    expect(found).toEqual({
      [id]: homework,
      [replyId]: homework,
      [plainId]: undefined,
      [plainReplyId]: undefined,
      [strangeId]: undefined,
      [lateId]: homework,
    });
  });

  test('is the same message after a retry with another topic [TOPIC-2]', async () => {
    const { ben, classId, homework, exam, socket } = await createClassWithTopics();
    const id = await post(socket, classId, { topicId: homework });

    await post(socket, classId, { id, topicId: exam });

    expect((await ben.snapshot(classId)).messages).toMatchObject([{ id, topicId: homework }]);
  });

  test('a question that waits keeps its topic, which the hall and the print name after its release [TOPIC-2, TOPIC-7]', async () => {
    const { ada, ben, classId, homework, socket } = await createClassWithTopics();
    const params = { classId };
    await ada.call('startLecture', { params, body: { hours: 1, holdsQuestions: true } });
    const { presenterToken } = await ada.call('createPresenterLink', { params });
    const id = await post(socket, classId, { text: 'Why?', question: true, topicId: homework });

    const waiting = await ada.call('listWaitingQuestions', { params });
    expect(waiting.waitingQuestions).toMatchObject([{ messageId: id, topicId: homework }]);
    const release = { params: { classId, messageId: id }, body: { text: 'Why?' } };
    await ada.call('releaseQuestion', release);

    expect(await findTopic(ben, classId, id)).toBe(homework);
    const headers = { 'presenter-token': presenterToken };
    const presentation = await (await app.visitor().fetch('/api/presentation', { headers })).text();
    const { presentedQuestions } = JSON.parse(presentation) as CallReply<'readPresentation'>;
    expect(presentedQuestions).toMatchObject([{ questionText: 'Why?', questionTopic: 'Homework' }]);
    expect(presentation).not.toContain(homework);
    const printed = await ben.call('listLectureQuestions', { params });
    expect(printed.lectureQuestions).toMatchObject([{ text: 'Why?', topic: 'Homework' }]);
  });

  test('loses its topic when it is deleted, and the export names it [TOPIC-6]', async () => {
    const { ben, classId, homework, socket } = await createClassWithTopics();
    const keptId = await post(socket, classId, { topicId: homework });
    const deletedId = await post(socket, classId, { topicId: homework });

    await socket.request({ type: 'delete', classId, messageId: deletedId });

    const rows = (await app.database.tables())['messages']!;
    const findRow = (id: string) => rows.find((row) => row['id'] === id);
    expect(findRow(keptId)).toMatchObject({ topicId: homework });
    expect(findRow(deletedId)).toMatchObject({ topicId: null });
    const { classes } = accountExportSchema.parse(await ben.call('exportAccount', {}));
    expect(classes[0]?.messages).toMatchObject([{ id: keptId, topic: 'Homework' }]);
  });
});

describe('a move', () => {
  test('of its author reaches online and returning members, and says nothing of who moved [TOPIC-3]', async () => {
    const { ada, ben, classId, homework, exam, socket } = await createClassWithTopics();
    const id = await post(socket, classId, { topicId: homework });
    const { seq } = await ada.snapshot(classId);

    await move(ben, classId, id, exam);
    await move(ben, classId, id, exam);

    const { items } = await socket.waitFor('events', ({ to }) => to === seq + 1);
    const item = { kind: 'moved', seq: seq + 1, id: items[0]?.id, movedId: id, topicId: exam };
    expect(items).toEqual([item]);
    const late = await ada.connect();
    const { epoch } = await late.waitFor('welcome');
    late.send({ type: 'subscribe', rid: 1, classId, epoch, after: seq });
    expect((await late.waitFor('events')).items).toEqual([item]);
    expect(await ada.snapshot(classId)).toMatchObject({ seq: seq + 1 });

    await move(ben, classId, id, null);
    expect(await findTopic(ada, classId, id)).toBeUndefined();
    late.close();
  });

  test('of staff is in the audit log without the message and its author [TOPIC-3]', async () => {
    const { ada, classId, homework, socket } = await createClassWithTopics();
    const id = await post(socket, classId);

    await move(ada, classId, id, homework);

    const entries = (await app.database.tables())['auditLog']!.filter(
      (row) => row['classId'] === classId,
    );
    expect(entries.at(-1)).toMatchObject({ act: 'settings', reason: 'topicMove', memberId: null });
    expect(JSON.stringify(entries)).not.toContain(id);
  });

  test('of another member, to a strange topic or of a deleted message is rejected [TOPIC-3]', async () => {
    const { ada, ben, classId, homework, socket } = await createClassWithTopics();
    const { id: adasId } = await ada.post(classId, 'Mine');
    const id = await post(socket, classId);
    const deletedId = await post(socket, classId);
    await socket.request({ type: 'delete', classId, messageId: deletedId });

    const reject = (moved: Promise<unknown>, code: string) =>
      expect(moved).rejects.toMatchObject({ code });

    await reject(move(ben, classId, adasId, homework), 'NOT_ALLOWED');
    await reject(move(ben, classId, id, 'A'.repeat(16)), 'NOT_FOUND');
    await reject(move(ben, classId, deletedId, homework), 'NOT_FOUND');
  });
});

describe('one topic', () => {
  test('its messages are listed in pages, around a message and since a time [TOPIC-4]', async () => {
    const { ben, classId, homework, exam, socket } = await createClassWithTopics();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.push(await post(socket, classId, { topicId: homework }));
      await post(socket, classId, n % 2 ? { topicId: exam } : {});
    }
    const topicId = homework;

    const newest = await listIds(ben, classId, { topicId, limit: 2 });
    expect(newest).toMatchObject({ ids: ids.slice(3), hasOlder: true, hasNewer: false });
    const before = newest.messages[0]!.seq;
    const older = await listIds(ben, classId, { topicId, before, limit: 3 });
    expect(older).toMatchObject({ ids: ids.slice(0, 3), hasOlder: false, hasNewer: true });
    const after = older.messages[0]!.seq;
    const newer = await listIds(ben, classId, { topicId, after, limit: 9 });
    expect(newer).toMatchObject({ ids: ids.slice(1), hasOlder: true, hasNewer: false });
    const around = await listIds(ben, classId, { topicId, around: ids[2], limit: 2 });
    expect(around).toMatchObject({ ids: ids.slice(1, 3), hasOlder: true, hasNewer: true });
    const sinceStart = await listIds(ben, classId, { topicId, since: 0, limit: 9 });
    expect(sinceStart.ids).toEqual(ids);
  });

  test('a search finds only its messages [TOPIC-4]', async () => {
    const { ben, classId, homework, exam, socket } = await createClassWithTopics();
    await post(socket, classId, { text: 'deadline', topicId: exam });
    const id = await post(socket, classId, { text: 'the deadline', topicId: homework });

    const query = { query: 'deadline', topicId: homework };
    const { hits } = await ben.call('searchMessages', { params: { classId }, query });

    expect(hits.map(({ message }) => message.id)).toEqual([id]);
  });
});

describe('a muted topic', () => {
  const noPreferences = { ignored: [], hidden: [], muted: false };

  test('does not count as unread, except mentions, also in a new count [TOPIC-5]', async () => {
    const { ada, ben, classId, homework, exam } = await createClassWithTopics();
    // Only who has appeared can be mentioned.
    await ben.post(classId, 'Hi');
    const { memberId } = (await ben.snapshot(classId)).me;
    const params = { classId };
    const body = { ...noPreferences, mutedTopics: [homework], version: 0 };
    await ben.call('savePreferences', { params, body });
    const light = await ben.connect();
    light.send({ type: 'subscribe', rid: 1, classId, light: true });
    expect(await light.waitFor('unread')).toMatchObject({ unread: 0 });
    const author = await ada.connectTo(classId);

    await post(author, classId, { topicId: homework });
    await post(author, classId, { topicId: exam });
    await post(author, classId, { topicId: homework, text: toMentionToken(memberId) });

    await light.waitFor('activity', ({ mentions }) => mentions === 1);
    const activity = light.frames.flatMap((frame) => (frame.type === 'activity' ? [frame] : []));
    expect(activity.map(({ posted, mentions }) => [posted, mentions])).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
    const recounted = await ben.connect();
    recounted.send({ type: 'subscribe', rid: 2, classId, light: true });
    expect(await recounted.waitFor('unread')).toMatchObject({ unread: 2, mentions: 1 });
    light.close();
    recounted.close();
  });

  test('stays muted when a browser of an earlier version saves preferences [TOPIC-5]', async () => {
    const { ben, classId, homework } = await createClassWithTopics();
    const params = { classId };
    const save = (change: object, version: number) =>
      ben.call('savePreferences', { params, body: { ...noPreferences, ...change, version } });
    await save({ mutedTopics: [homework] }, 0);

    expect(await save({ muted: true }, 1)).toMatchObject({ mutedTopics: [homework], muted: true });
    expect(await save({ mutedTopics: [] }, 2)).toMatchObject({ mutedTopics: [] });
  });
});
