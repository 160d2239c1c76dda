// Presenter links: what someone without an account reads with one, and when it ends.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CallReply } from '#contract/http.ts';
import { routes } from '#contract/routes.ts';
import {
  ask,
  markAnswer,
  publishVotesSoon,
  replyTo,
  vote,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { holdTimeouts } from '#tests/support/shorten-timers.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import {
  createClassWithTwoMembers,
  password,
  type TestClient,
} from '#tests/support/test-client.ts';

publishVotesSoon();
const keptPresentations = holdTimeouts('forgetPresentation');
const app = setUpApp();

/** Ada is staff and holds a lecture. Ben is a member. */
async function createLecture() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantStaff(app, ada, classId, 'Prof. Lee');
  const params = { classId };
  await ada.call('startLecture', { params, body: { hours: 1 } });
  return {
    ada,
    ben,
    classId,
    staff: await ada.connectTo(classId),
    member: await ben.connectTo(classId),
    link: async () => (await ada.call('createPresenterLink', { params })).presenterToken,
    end: () => ada.call('endLecture', { params }),
  };
}

/** Reads the link on a computer where no one is signed in, a second after the last one. */
function open(token: string, headers?: Record<string, string>): Promise<Response> {
  for (const { fire } of keptPresentations.splice(0)) fire();
  return openSoon(token, headers);
}

function openSoon(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return app.visitor().fetch(routes.readPresentation.path, {
    headers: { 'presenter-token': token, ...headers },
  });
}

async function getPresentation(token: string): Promise<CallReply<'readPresentation'>> {
  const response = await open(token);
  expect(response.status).toBe(200);
  return (await response.json()) as CallReply<'readPresentation'>;
}

const notFound = { code: 'NOT_FOUND' };

describe('a presenter link', () => {
  test('a visitor reads the questions of the lecture, open ones first, by votes [LECT-6, LECT-8]', async () => {
    const { classId, staff, member, link } = await createLecture();
    const answeredId = await ask(member, classId, 'Answered?');
    await markAnswer(member, classId, answeredId, await replyTo(staff, classId, answeredId));
    await ask(member, classId, 'Asked once?');
    const wantedId = await ask(member, classId, 'Wanted?');
    await vote(staff, classId, wantedId);
    await waitForQuestion(member, wantedId, { votes: 1 });

    const { className, presentedQuestions } = await getPresentation(await link());

    expect(className).not.toBe('');
    expect(presentedQuestions).toMatchObject([
      { questionText: 'Wanted?', voteCount: 1, answered: false },
      { questionText: 'Asked once?', voteCount: 0, answered: false },
      { questionText: 'Answered?', voteCount: 0, answered: true },
    ]);
  });

  test('its answer names no person, no time and no message, and no hidden question [LECT-8, LECT-5]', async () => {
    const { ada, ben, classId, member, link } = await createLecture();
    const { me } = await ben.snapshot(classId);
    const shownId = await ask(member, classId, `Did <@${me.memberId}> ask?`);
    const hiddenId = await ask(member, classId, 'Hidden?');
    await app.database.query(`update messages set moderation = 'hidden' where id = '${hiddenId}'`);

    const text = await (await open(await link())).text();

    expect(JSON.parse(text)).toMatchObject({
      presentedQuestions: [{ questionText: 'Did @… ask?' }],
    });
    for (const secret of [me.memberId, me.anonymousName, shownId, ada.email, ben.email, 'Lee']) {
      expect(text).not.toContain(secret);
    }
  });

  test('two hundred newer questions do not displace the most wanted one [LECT-8, LECT-3]', async () => {
    const { ben, classId, staff, member, link } = await createLecture();
    const wantedId = await ask(member, classId, 'Wanted?');
    await vote(staff, classId, wantedId);
    await waitForQuestion(member, wantedId, { votes: 1 });
    const columns = '"classId", "memberId", digest, "createdAt", deleted';
    const newerRows = Array.from(
      { length: 200 },
      (_, n) =>
        `select ${columns}, seq + ${n + 10}, ordinal + ${n + 10}, 'newer ${n}', 'Newer?', 0
         from messages where id = '${wantedId}'`,
    );
    await app.database.query(
      `insert into messages (${columns}, seq, ordinal, id, text, votes) ${newerRows.join(' union all ')}`,
    );

    const { presentedQuestions } = await getPresentation(await link());
    const params = { classId };
    const { lectureQuestions } = await ben.call('listLectureQuestions', { params });

    expect(presentedQuestions).toHaveLength(50);
    expect(presentedQuestions[0]).toMatchObject({ questionText: 'Wanted?', voteCount: 1 });
    expect(lectureQuestions[0]).toMatchObject({ text: 'Wanted?', votes: 1 });
  });

  test('the answer is empty while nothing has changed [LECT-8]', async () => {
    const { classId, member, link } = await createLecture();
    const token = await link();
    const etag = (await open(token)).headers.get('etag') ?? '';

    const unchangedReply = await open(token, { 'if-none-match': etag });
    await ask(member, classId);
    const changedReply = await open(token, { 'if-none-match': etag });

    expect([unchangedReply.status, changedReply.status]).toEqual([304, 200]);
    expect(unchangedReply.headers.get('cache-control')).toBe('no-store');
  });

  test('all requests of a second share one reply, also those with another link [LECT-8]', async () => {
    const { classId, member, link } = await createLecture();
    const tokens = [await link(), await link()];
    await ask(member, classId, 'Before?');
    const firstReply = await (await open(tokens[0]!)).text();

    await ask(member, classId, 'After?');
    const soonReplies = await Promise.all(
      tokens.map(async (token) => (await openSoon(token)).text()),
    );
    const laterReply = await getPresentation(tokens[1]!);

    expect(soonReplies).toEqual([firstReply, firstReply]);
    expect(laterReply.presentedQuestions).toHaveLength(2);
  });

  test('a link that is unknown, revoked, or of another lecture gets the same answer [LECT-6]', async () => {
    const { ada, classId, link, end } = await createLecture();
    const revoked = await link();
    await ada.call('revokePresenterLinks', { params: { classId } });
    const earlier = await link();
    await end();
    await ada.call('startLecture', { params: { classId }, body: { hours: 1 } });
    const unknown = classId + 'x'.repeat(32);

    const replies = [revoked, earlier, unknown, 'x', ''].map(async (token) => {
      const response = await open(token);
      return [response.status, await response.json()];
    });

    const [firstReply, ...otherReplies] = await Promise.all(replies);
    expect(firstReply).toEqual([404, expect.objectContaining(notFound)]);
    for (const reply of otherReplies) expect(reply).toEqual(firstReply);
  });

  const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

  test.each<[end: string, (staff: TestClient, classId: string) => Promise<unknown>]>([
    [
      'at the time of its lecture',
      (_, classId) =>
        app.database.query(
          `update "classSettings" set lecture = replace(lecture, '"lastsUntil":1', '"lastsUntil":')
           where "classId" = '${classId}'`,
        ),
    ],
    ['with the class', (_, classId) => run('end-class', classId)],
    ['with the deletion of the class', (_, classId) => run('delete-class', classId)],
    [
      'when a role that could make it is revoked',
      ({ email }, classId) => run('revoke-role', email, classId),
    ],
    [
      'with the account of staff',
      (staff) => staff.call('deleteAccount', { body: { password, messages: 'keep' } }),
    ],
    [
      'when any operator is revoked',
      async () => {
        const [olga, noah] = [await app.createStudent(), await app.createStudent()];
        for (const { email, name } of [olga, noah]) await run('grant-operator', email, name);
        await run('revoke-role', olga.email);
      },
    ],
  ])('a link ends %s, and does not come back [LECT-6]', async (_, end) => {
    const { ada, classId, link } = await createLecture();
    const token = await link();
    expect((await open(token)).status).toBe(200);

    await end(ada, classId);
    // The server follows what commands of other processes commit.
    await expect.poll(async () => (await open(token)).status).toBe(404);
    for (const command of ['reopen-class', 'restore-class']) await run(command, classId);

    expect((await open(token)).status).toBe(404);
  });

  test('a link needs a lecture, and a lecture has at most ten [LECT-6]', async () => {
    const { link, end } = await createLecture();
    const tokens: string[] = [];
    for (let count = 0; count < 10; count++) tokens.push(await link());

    await expect(link()).rejects.toMatchObject({ code: 'TOO_MANY_LINKS' });
    await end();
    await expect(link()).rejects.toMatchObject({ code: 'NO_LECTURE' });
    const rows = await app.database.query('select * from "presenterLinks"');
    expect(JSON.stringify(rows)).not.toContain(tokens[0]);
  });
});

describe('a code for the hall', () => {
  const exchange = (hallCode: string, address = '192.0.2.1') =>
    app
      .visitor('hall', { headers: { 'x-forwarded-for': address } })
      .call('exchangeHallCode', { body: { hallCode } });

  test('six digits open the hall once, also after a restart, and no other digits do [LECT-24]', async () => {
    const { ada, classId, member } = await createLecture();
    await ask(member, classId, 'Why?');
    const params = { classId };
    const { hallCode: replacedCode } = await ada.call('createHallCode', { params });
    const { hallCode, hallCodeEndsAt } = await ada.call('createHallCode', { params });
    const rows = await app.database.query('select * from "presenterLinks"');
    await app.restart();

    const { presenterToken } = await exchange(hallCode);

    expect(hallCode).toMatch(/^\d{6}$/);
    expect(hallCodeEndsAt % 60_000).toBe(0);
    expect(JSON.stringify(rows)).not.toContain(hallCode);
    expect((await getPresentation(presenterToken)).presentedQuestions).toHaveLength(1);
    for (const code of [hallCode, replacedCode]) {
      await expect(exchange(code)).rejects.toMatchObject(notFound);
    }
  });

  test('of two computers that use a code at the same time, one gets the link [LECT-24]', async () => {
    const { ada, classId } = await createLecture();
    const { hallCode } = await ada.call('createHallCode', { params: { classId } });

    const results = await Promise.allSettled([exchange(hallCode), exchange(hallCode)]);

    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('a code ends after its minutes, with its links and with its lecture [LECT-24]', async () => {
    const { ada, classId, end } = await createLecture();
    const params = { classId };
    const create = async () => (await ada.call('createHallCode', { params })).hallCode;
    const expiredCode = await create();
    await app.database.query(
      'update "presenterLinks" set "expiresAt" = 1 where "expiresAt" is not null',
    );
    await expect(exchange(expiredCode)).rejects.toMatchObject(notFound);
    const revokedCode = await create();
    await ada.call('revokePresenterLinks', { params });
    await expect(exchange(revokedCode)).rejects.toMatchObject(notFound);
    const endedCode = await create();
    await end();

    await expect(exchange(endedCode)).rejects.toMatchObject(notFound);
    await expect(create()).rejects.toMatchObject({ code: 'NO_LECTURE' });
  });

  test('the letters on the screen lead to the class while its lecture is on [LECT-28]', async () => {
    const { ben, classId, link, end } = await createLecture();
    const { classLetters } = await getPresentation(await link());
    const find = () => ben.call('findLetteredClass', { params: { classLetters } });

    expect(classLetters).toMatch(/^[B-Z\d]{4}$/);
    expect(await find()).toEqual({ classId });
    await end();
    await expect(find()).rejects.toMatchObject(notFound);
  });

  test('a code of two classes opens neither [LECT-24]', async () => {
    const lectures = [await createLecture(), await createLecture()];
    const codes: string[] = [];
    for (const { ada, classId } of lectures) {
      codes.push((await ada.call('createHallCode', { params: { classId } })).hallCode);
    }
    await app.database.query(
      `update "presenterLinks" set token = (
         select min(token) from "presenterLinks" where "expiresAt" is not null
       ) where "expiresAt" is not null`,
    );

    for (const code of codes) await expect(exchange(code)).rejects.toMatchObject(notFound);
  });
});

describe('guesses of codes', () => {
  test('wrong codes are limited for a network and for all, and right ones do not count [LIMIT-61]', async () => {
    const limited = await startApp({
      LIMIT_FACTOR: 'off',
      LIMITS: 'hallCodes=2/1h, allHallCodes=3/1h',
      TRUSTED_PROXIES: '1',
    });
    onTestFinished(() => limited.stop());
    const { ada, classId } = await createClassWithTwoMembers(limited);
    await grantStaff(limited, ada, classId, 'Prof. Lee');
    const params = { classId };
    await ada.call('startLecture', { params, body: { hours: 1 } });
    const exchange = (hallCode: string, address: string) =>
      limited
        .visitor('hall', { headers: { 'x-forwarded-for': address } })
        .call('exchangeHallCode', { body: { hallCode } })
        .then(
          () => 'ok',
          (error: { code: string }) => error.code,
        );
    const useRightCode = async (address: string) =>
      exchange((await ada.call('createHallCode', { params })).hallCode, address);

    const outcomes = [
      await useRightCode('192.0.2.1'),
      await useRightCode('192.0.2.1'),
      await useRightCode('192.0.2.1'),
      await exchange('000000', '192.0.2.1'),
      await exchange('000000', '192.0.2.1'),
      await useRightCode('192.0.2.1'),
      await exchange('000000', '192.0.2.2'),
      await useRightCode('192.0.2.3'),
    ];

    expect(outcomes).toEqual([
      ...['ok', 'ok', 'ok', 'NOT_FOUND', 'NOT_FOUND', 'TOO_MANY', 'NOT_FOUND', 'TOO_MANY'],
    ]);
  });
});
