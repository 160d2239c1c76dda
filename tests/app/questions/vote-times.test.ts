// When the server publishes the numbers of votes.
import { expect, test, vi } from 'vitest';
import {
  ask,
  holdPublications,
  listNumbers,
  vote,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const publications = holdPublications();
const app = setUpApp();

/** Ada asks two questions, and Ben and Cem can vote. */
async function createQuestions() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent();
  await cem.join(classId);
  const asker = await ada.connectTo(classId);
  const firstId = await ask(asker, classId, 'The first?');
  const secondId = await ask(asker, classId, 'The second?');
  const sockets = { asker, ben: await ben.connect(), cem: await cem.connect() };
  return { classId, firstId, secondId, ...sockets };
}

test('a number with a vote in the last five seconds waits for the next time [QUEST-7]', async () => {
  const { classId, firstId, secondId, asker, ben, cem } = await createQuestions();
  await vote(ben, classId, firstId);
  await vote(ben, classId, secondId);
  const publication = await publications.take();
  publications.pass(publication.delayMs - 1_000);
  await vote(cem, classId, firstId);

  publication.fire();

  await waitForQuestion(asker, secondId, { votes: 1 });
  expect(listNumbers(asker, firstId)).toEqual([]);
  const nextPublication = await publications.take();
  for (const { delayMs } of [publication, nextPublication]) {
    expect(delayMs).toBeGreaterThanOrEqual(5_000);
    expect(delayMs).toBeLessThan(25_000);
  }
  nextPublication.fire();
  await waitForQuestion(asker, firstId, { votes: 2 });
});

test('one time is enough for the numbers of many questions [QUEST-7]', async () => {
  const { classId, asker, ben } = await createQuestions();
  const questionIds: string[] = [];
  for (let n = 0; n < 25; n++) questionIds.push(await ask(asker, classId, `Question ${n}?`));
  for (const [n, questionId] of questionIds.entries()) {
    await vote(ben, classId, questionId);
    // If the random time is the shortest one, the other votes are early enough, too.
    if (n === 0) publications.pass(-10_000);
  }

  (await publications.take()).fire();

  for (const questionId of questionIds) await waitForQuestion(asker, questionId, { votes: 1 });
  expect(publications.isTimerWaiting()).toBe(false);
});

test('further votes defer a number by a minute at most [QUEST-7]', async () => {
  const { classId, firstId, asker, ben, cem } = await createQuestions();
  await vote(ben, classId, firstId);
  let waitedMs = 0;
  let voted = false;

  while (listNumbers(asker, firstId).length === 0) {
    const publication = await publications.take();
    publications.pass(publication.delayMs - 1_000);
    voted = !voted;
    await vote(cem, classId, firstId, voted);
    publications.pass(1_000);
    waitedMs += publication.delayMs;
    publication.fire();
    await vi.waitUntil(
      () => publications.isTimerWaiting() || listNumbers(asker, firstId).length > 0,
      { timeout: 10_000 },
    );
  }

  expect(waitedMs).toBeGreaterThan(34_000);
  expect(waitedMs).toBeLessThanOrEqual(60_000);
});

test('the server counts only the votes for questions that got some [QUEST-7]', async () => {
  const { classId, firstId, secondId, asker, ben } = await createQuestions();
  await app.database.query(
    `insert into "questionVotes" ("classId", seq, voter) values ('${classId}', 2, 'another voter')`,
  );
  await vote(ben, classId, firstId);

  (await publications.take()).fire();

  await waitForQuestion(asker, firstId, { votes: 1 });
  expect(listNumbers(asker, secondId)).toEqual([]);
});
