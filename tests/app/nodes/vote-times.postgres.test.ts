// When two servers on one database publish the numbers of votes.
import { describe, expect, test } from 'vitest';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';
import {
  ask,
  holdPublications,
  listNumbers,
  vote,
  waitForQuestion,
} from '#tests/support/questions.ts';

const publications = holdPublications();

describe.skipIf(!redisCommand)('two nodes', () => {
  const nodes = setUpNodes(2);

  test('a vote at another node defers the number, too [QUEST-7]', async () => {
    const [node] = nodes.apps;
    const ada = await node!.createStudent();
    const ben = await node!.createStudent();
    const cem = await node!.createStudent();
    const classId = await ada.createClass();
    for (const student of [ben, cem]) await student.join(classId);
    const asker = await ada.connectTo(classId);
    const questionId = await ask(asker, classId);
    await vote(await ben.connect(), classId, questionId);
    const publication = await publications.take();
    publications.pass(publication.delayMs - 1_000);
    // This device receives the notice after the node has handled it.
    const cemAtNode = await cem.connect();
    await vote(await nodes.at(1, cem).connect(), classId, questionId);
    const publicationElsewhere = await publications.take();
    await cemAtNode.waitFor('voted');

    publication.fire();

    await publications.take();
    expect(listNumbers(asker, questionId)).toEqual([]);
    publicationElsewhere.fire();
    await waitForQuestion(asker, questionId, { votes: 2 });
  });
});
