// The data of the worst cases, and what other people do, or what arrives by mail or from a provider, before a call can succeed with
// as much as a class or an account can have.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Case, DecisionBody } from '#contract/moderation.ts';
import { limits } from '#contract/limits.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { createSignUpLinks } from '#server/accounts/sign-up-links.ts';
import { createDataCopyLinks } from '#server/endings/data-copy.ts';
import { endedTerm } from '#tests/support/ended-term.ts';
import { unfoldRecipient } from '#tests/support/fake-smtp.ts';
import { createSignOnBrowser, type OidcServer } from '#tests/support/oidc-server.ts';
import { askPrivately, createPrivateId } from '#tests/support/private-questions.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { addSessions } from './full-account.ts';
import { findStoredAccount } from '#tests/support/stored-accounts.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';

interface Dependencies {
  database: Pick<TestDatabase, 'settings' | 'query'>;
  keys: ServerKeys;
  provider: OidcServer;
  /** The data folder of the server, which has its mails. */
  dataDir: string;
  classId: string;
  student: TestClient;
  /** A member whose messages are reported and who is never sanctioned. */
  author: TestClient;
  /** Another member, who reports. */
  other: TestClient;
  /** Two operators: one decides on cases, the other one on what follows. */
  operator: TestClient;
  secondOperator: TestClient;
  supported: TestClient;
  visitor: TestClient;
  /** Its sessions may end. */
  leaving: TestClient;
  /** Classes of the student that may end, and that `supported` is in. */
  spareClassIds: readonly string[];
  /** The student's messages, and those of others. */
  messageIds: readonly string[];
  othersMessages: readonly { id: string }[];
  /** The next of others' messages. */
  findOthersMessage: () => string | undefined;
  texts: readonly string[];
  /** The version of the student's preferences in the class. */
  getPreferencesVersion: () => number;
  /** The `Cookie` headers of members who have done nothing yet. */
  cookies: readonly string[];
}

const timeoutMs = 20_000;
const reason = '長'.repeat(490);

export type LargestData = ReturnType<typeof createLargestData>;

export function createLargestData(dependencies: Dependencies) {
  const { database, keys, provider, dataDir, classId } = dependencies;
  const { query } = database;
  const { student, other, operator, secondOperator } = dependencies;
  const { origin } = student;
  const unusedCookies = [...dependencies.cookies];
  let accounts = 0;

  async function waitFor<Value>(name: string, find: () => Promise<Value | null>): Promise<Value> {
    for (const endsAt = Date.now() + timeoutMs; Date.now() < endsAt; await sleep(10)) {
      const value = await find();
      if (value !== null) return value;
    }
    throw new Error(`${name} did not come.`);
  }

  async function findAccountId({ email }: TestClient): Promise<string> {
    return (await findStoredAccount(database, email)).id;
  }

  /** An account whose password reset or verification ends as many sessions as there can be. */
  async function createAccount(): Promise<TestClient> {
    const client = createTestClient(origin, `account.${++accounts}@university.edu`);
    await client.signUp();
    await addSessions(database, keys.cookies, client.email);
    return client;
  }

  /** The last part of the link in the newest mail to the address. */
  function findMailedToken({ email }: TestClient, link: RegExp): Promise<string> {
    const folder = join(dataDir, 'mail');
    return waitFor(`A mail to ${email}`, async () => {
      const mails = readdirSync(folder)
        .toSorted()
        .map((file) => unfoldRecipient(readFileSync(join(folder, file), 'utf8')));
      const mail = mails.findLast(
        (candidate) => candidate.includes(`To: ${email}`) && link.test(candidate),
      );
      const token = link.exec(mail ?? '')?.[1];
      return token === undefined ? null : decodeURIComponent(token);
    });
  }

  /** Signs on up to the provider's redirect back to the server. */
  async function signOn(email: string) {
    const browser = createSignOnBrowser(origin);
    const { client } = browser;
    provider.person = { sub: `person ${++accounts}`, email, verified: true };
    const { providerUrl } = await client.call('startSignOn', { body: { again: false } });
    return { client, response: await browser.visit(providerUrl) };
  }

  /** The provider confirms the address of an account that does not belong to this person yet. */
  async function signOnToJoin() {
    const account = await createAccount();
    const { client, response } = await signOn(account.email);
    await client.call('finishSignOn', { body: { response } });
    return { account, client };
  }

  async function report(messageId: string): Promise<Case> {
    await other.call('reportMember', { params: { classId }, body: { messageId, reason: 'spam' } });
    const { cases } = await operator.call('listCases', { query: {} });
    return cases.find((candidate) => candidate.messageId === messageId)!;
  }

  async function reportMessage(member: TestClient): Promise<Case> {
    const { id } = await member.post(classId, 'A message to report');
    return report(id);
  }

  function decide({ caseId, version }: Case, body: Partial<DecisionBody>) {
    const decision = { version, decision: 'keep', reason, ...body } as const;
    return operator.call('decideCase', { params: { caseId }, body: decision });
  }

  /** Ends the time to undo a decision. */
  async function endUndoPeriod(table: 'cases' | 'reviews', caseId: string): Promise<void> {
    const pending = `"caseId" = '${caseId}' and status = 'pending'`;
    await query(`update ${table} set "effectiveAt" = 1 where ${pending}`);
    await waitFor('The decision', async () => {
      const rows = await query(`select 1 from ${table} where ${pending}`);
      return rows.length === 0 ? true : null;
    });
  }

  /** A member who has done nothing yet, so that a sanction changes nothing else. */
  function findMember(): TestClient {
    const cookie = unusedCookies.shift();
    if (cookie === undefined) throw new Error('The class of the worst cases needs more members.');
    return createTestClient(origin, 'member@university.edu', { cookie });
  }

  /** A decision about a message of a member, which has taken effect. */
  async function decideOnMember(body: Partial<DecisionBody>) {
    const member = findMember();
    const reportedCase = await reportMessage(member);
    await decide(reportedCase, body);
    await endUndoPeriod('cases', reportedCase.caseId);
    return { member, found: reportedCase };
  }

  async function mute() {
    const { member, found } = await decideOnMember({ sanction: { kind: 'mute', hours: 168 } });
    const { sanctions } = await member.call('listOwnSanctions', {});
    const sanctionId = sanctions[0]?.sanctionId ?? '';
    return { member, sanctionId, memberId: found.persona.memberId };
  }

  async function findReviewId(state: 'escalated' | 'appeals'): Promise<string> {
    const { cases } = await secondOperator.call('listCases', { query: { state, classId } });
    const open = cases
      .flatMap(({ reviews }) => reviews)
      .find((candidate) => candidate.state === 'open');
    if (!open) throw new Error('There is no open review.');
    return open.reviewId;
  }

  async function escalate() {
    const { member, found } = await decideOnMember({ escalate: true });
    return { member, found, reviewId: await findReviewId('escalated') };
  }

  async function appeal(): Promise<string> {
    const { member, sanctionId } = await mute();
    await member.call('appeal', { params: { sanctionId }, body: { text: 'I did not do it' } });
    return findReviewId('appeals');
  }

  async function suspend(): Promise<string> {
    const { member, found, reviewId } = await escalate();
    const body = { version: 1, decision: 'suspend', days: 7, reason } as const;
    await secondOperator.call('decideReview', { params: { reviewId }, body });
    await endUndoPeriod('reviews', found.caseId);
    const { sanctions } = await member.call('listOwnSanctions', {});
    return sanctions.find(({ kind }) => kind === 'suspension')?.sanctionId ?? '';
  }

  /** All messages of the class are questions of its lecture. */
  async function startLecture(): Promise<void> {
    await operator.call('startLecture', { params: { classId }, body: { hours: 1 } });
    await query(`update "classSettings" set lecture = json_set(lecture, '$.firstSeq', 0)`);
  }

  /** An open poll with the longest options is on the screen of the hall. */
  async function showPoll(): Promise<void> {
    await startLecture();
    await query(
      `update "classSettings" set lecture = json_set(lecture, '$.pollId',
         (select id from messages where "pollClosesAt" is not null and deleted = 0 limit 1))`,
    );
  }

  /** The student's five questions of the longest text wait, and those of others as many as a class can have. */
  async function askToWait(): Promise<{ classId: string; messageId: string; text: string }> {
    await startLecture();
    await operator.call('holdQuestions', { params: { classId }, body: { held: true } });
    const { memberId } = (await student.snapshot(classId)).me;
    const text = '長'.repeat(limits.messageText);
    const rows = Array.from({ length: limits.waitingQuestions }, (_, n) => {
      const asker = n < limits.ownWaitingQuestions ? memberId : `member-${n}`.padEnd(16, 'x');
      return `('${classId}', '${randomUUID()}', '${asker}', '${text}', ${n + 1}, 0)`;
    });
    await query(`delete from "waitingQuestions"`);
    await query(
      `insert into "waitingQuestions" ("classId", id, "memberId", text, place, returned)
       values ${rows.join(',')}`,
    );
    const [row] = await query(`select id from "waitingQuestions" where place = 1`);
    return { classId, messageId: String(row?.['id']), text };
  }

  /**
   * Staff have as many open questions as a class can have, less two, twenty of them with the longest conversations. The student asked
   * some of them.
   */
  async function askStaff(count = 1): Promise<{ classId: string; questionId: string }> {
    const body = { email: operator.email, classId, role: 'staff', staffName: 'Prof. Kim' } as const;
    await operator.call('grantRole', { body });
    for (const table of ['privateTurns', 'privateQuestions']) await query(`delete from "${table}"`);
    await query(
      `with numbers(n) as (select 1 union all select n + 1 from numbers where n < ${limits.privateQuestions - 2 - count})
       insert into "privateQuestions" ("classId", id, "askerId", place, state)
       select '${classId}', printf('%08d-0000-8000-8000-000000000000', n), 'asker-' || n, n, 'open' from numbers`,
    );
    await query(
      `with turns(n) as (select 0 union all select n + 1 from turns where n < ${limits.privateTurns - 1})
       insert into "privateTurns" ("classId", id, "questionId", position, "memberId", "staffName", text, held)
       select '${classId}', printf('%08d-0000-8000-8000-%012d', q.place, n), q.id, n, '', '', '${'長'.repeat(limits.messageText)}', 0
       from "privateQuestions" q, turns where q.place <= 20`,
    );
    const questionId = createPrivateId();
    const text = '長'.repeat(limits.messageText);
    for (const id of [questionId, createPrivateId()].slice(0, count)) {
      await askPrivately(student, classId, text, id);
    }
    await query(
      `update "privateQuestions" set state = 'asked', "nextState" = null where id = '${questionId}'`,
    );
    await query(`update "privateTurns" set held = 0`);
    return { classId, questionId };
  }

  return {
    ...dependencies,
    reason,
    askStaff,
    createAddress: () => `new.${++accounts}@university.edu`,
    createAccount,
    findAccountId,
    findMailedToken,
    signOn,
    signOnToJoin,
    reportMessage,
    decide,
    findMember,
    mute,
    escalate,
    appeal,
    suspend,
    startLecture,
    showPoll,
    askToWait,
    /** The token of a link by which the owner of the account signs up again. */
    async sealSignUpLink({ email }: TestClient): Promise<string> {
      const passwordHash = (await findStoredAccount(database, email)).passwordHash ?? '';
      return createSignUpLinks(keys).seal({ email, passwordHash });
    },
    /** The token of a link to a copy of the data of the account. */
    async sealDataCopyLink({ email }: TestClient): Promise<string> {
      const [epoch] = await query(`select value from "serverMetadata" where name = 'epoch'`);
      const links = createDataCopyLinks(keys.resetLinks, String(epoch?.['value']));
      return links.create(await findStoredAccount(database, email), Date.now() - 1).token;
    },
    /** Ends all other classes in one term. */
    async endAllTerms() {
      await query(
        `update classes set "semesterSeason" = 'Spring', year = 2026, status = 'archived',
           "reopenableUntil" = ${Date.parse(endedTerm.reopenableUntil) / 86_400_000}
         where "classId" <> '${classId}'`,
      );
      return { semesterSeason: 'Spring', year: 2026 };
    },
  };
}
