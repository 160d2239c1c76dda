// Reports from outside, as a stranger, the reporter, operators and a thief see them.
import { afterEach, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { OutsideDecisionBody, OutsideReportBody } from '#contract/outside-reports.ts';
import { changeKey } from '#tests/support/change-key.ts';
import { waitUntilMailsSent } from '#tests/support/digests.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

let app: RunningApp;
afterEach(() => app.stop());

const contactAddress = 'Out+side@elsewhere.example';
const body = { what: 'A lie about me', place: 'The chat of CS 146', contactAddress };
const send = (client: TestClient, changes: object = {}, headers: Record<string, string> = {}) =>
  client.fetch('/api/outside-reports', {
    method: 'POST',
    body: JSON.stringify({ ...body, ...changes }),
    headers: { 'content-type': 'application/json', ...headers },
  });
const list = async (operator: TestClient) =>
  (await operator.call('listOutsideReports', {})).outsideReports;
const listMails = (address = contactAddress) =>
  app.mails().filter((mail) => mail.includes(`To: ${address}`));
const decide = (
  operator: TestClient,
  reportId: string,
  reason: string,
  decision: OutsideDecisionBody['decision'] = 'notActed',
) => operator.call('decideOutsideReport', { params: { reportId }, body: { decision, reason } });

async function createOperators() {
  const [olga, otto] = [await app.createStudent(), await app.createStudent()];
  await grantRole(app, olga, null, 'Olga');
  await grantRole(app, otto, null, 'Otto');
  return { olga, otto };
}

test('Every valid report gets the same answer, whatever it names and whoever sends it [OUT-1, OUT-2]', async () => {
  app = await startApp({ LIMITS: 'outsideMails=1/1d' });
  const { olga } = await createOperators();
  const member = await app.createStudent();
  const classId = await member.createClass();
  const place = (id: string) => `${app.origin}/home/${id}`;

  const answers = [
    await send(app.visitor(), { place: place(classId) }),
    await send(app.visitor(), { place: place('AAAAAAAAAAAAAAAA') }),
    await send(member, { contactAddress: member.email }),
    await send(app.visitor(), {
      contactAddress: member.email,
      what: 'é\u0301 漢字 \u{1F600}\n\tاسم',
    }),
    await send(app.visitor(), { what: '長'.repeat(limits.outsideReport) }),
  ];

  for (const answer of answers) {
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
  const whats = (await list(olga)).map(({ what }) => what);
  expect(whats).toHaveLength(5);
  expect(whats).toContain('é\u0301 漢字 \u{1F600}\n\tاسم');
});

/** By what is wrong with them. */
const wrongParts: Readonly<Record<string, object>> = {
  'nothing to read': { what: ' \u200b\n' },
  'a text that is too long': { what: 'a'.repeat(limits.outsideReport + 1) },
  'a control character': { what: 'a\u0000b' },
  'a place of two lines': { place: 'CS 146\r\nBcc: all@university.edu' },
  'a place that is too long': { place: 'a'.repeat(limits.outsidePlace + 1) },
  'no place': { place: '\u2060 ' },
  'a header in the address': { contactAddress: 'a@b.example\r\nBcc: all@university.edu' },
  'two addresses': { contactAddress: 'a@b.example, c@d.example' },
  'an address with a comment': { contactAddress: 'a@b.example (c@d.example)' },
  'a pipe': { contactAddress: '|mail@b.example' },
  'a mailbox of this machine': { contactAddress: 'root@localhost' },
  'an address by number': { contactAddress: 'root@[127.0.0.1]' },
  'an address by number, without brackets': { contactAddress: 'root@10.0.0.12' },
  'a further field': { classId: 'AAAAAAAAAAAAAAAA' },
};

test('A report that is not valid is rejected without an echo, and nothing is stored or mailed [OUT-1]', async () => {
  app = await startApp();

  for (const [problem, changes] of Object.entries(wrongParts)) {
    const answer = await send(app.visitor(), changes);

    expect(answer.status, problem).toBe(400);
    expect(await answer.text(), problem).not.toContain('Bcc');
  }

  const { outsideReports, outgoingMails } = await app.database.tables();
  expect([outsideReports, outgoingMails]).toEqual([[], []]);
});

test('A receipt has no word of the report, and comes three times a day at most [OUT-4, LIMIT-62]', async () => {
  app = await startApp({ LIMITS: 'outsideMails=3/1d', LANGUAGES: 'en,de' });
  const spam = { what: 'Buy at https://evil.example', place: 'evil.example' };

  await send(app.visitor(), spam, { 'accept-language': 'de-AT' });
  for (const name of ['out+1', 'O.ut', 'o.u.t+2', 'ou.t']) {
    const address = `${name}@elsewhere.example`;
    await send(app.visitor(), { ...spam, contactAddress: address });
  }
  await waitUntilMailsSent(app);

  const [germanMail = ''] = listMails();
  expect(germanMail).toContain('Die Entscheidung kommt per Mail');
  expect(app.mails().join()).not.toMatch(/evil|Buy/);
  expect(app.mails()).toHaveLength(3);
  expect((await app.database.tables())['outsideReports']).toHaveLength(5);
  expect(app.logLines.join()).not.toMatch(/elsewhere|evil/);
});

test('A receipt outlives a restart of the server, because the commit of the report has it [OUT-4]', async () => {
  app = await startApp();
  // Nothing answers there.
  await app.restart(undefined, { SMTP_URL: 'smtp://127.0.0.1:9' });
  await send(app.visitor());
  expect((await app.database.tables())['outgoingMails']).toHaveLength(1);

  await app.restart(() => app.database.query('update "outgoingMails" set "dueAt" = 0'));

  await expect.poll(() => listMails().length).toBe(1);
});

test('One operator decides, and the reporter gets the decision with its reason [OUT-5]', async () => {
  app = await startApp({ SUPPORT_CONTACT: 'help@university.edu' });
  const { olga, otto } = await createOperators();
  await send(app.visitor(), { what: 'A lie' });
  const [report] = await list(olga);
  const { reportId } = report!;
  expect(report).toMatchObject({ what: 'A lie', contactAddress, decision: null, decidedBy: null });
  await expect(decide(olga, reportId, ' ')).rejects.toMatchObject({ code: 'REASON_MISSING' });
  await expect(decide(olga, 'AAAAAAAAAAAAAAAA', 'No')).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const outcomes = await Promise.allSettled([
    decide(olga, reportId, 'It is true.\nBcc: all@university.edu'),
    decide(otto, reportId, 'It is gone.', 'acted'),
  ]);

  const failures = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as Error & { code: string }] : [],
  );
  expect(failures.map(({ code }) => code)).toEqual(['ALREADY_DECIDED']);
  const [decided] = await list(olga);
  expect(failures[0]!.message).toContain(decided!.decidedBy);
  const winner = decided!.decidedBy === 'Olga' ? olga : otto;
  // The browser got no answer, and asks again.
  await decide(winner, reportId, decided!.reason!, decided!.decision!);
  await waitUntilMailsSent(app);
  const [mail = '', ...furtherMails] = listMails().filter((text) => text.includes('The reason:'));
  expect(furtherMails).toEqual([]);
  const textStart = mail.indexOf('\n\n');
  expect(mail.slice(textStart)).toContain(decided!.reason);
  expect(mail.slice(textStart)).toContain('write to help@university.edu');
  expect(mail.slice(0, textStart)).not.toContain('Bcc');
  expect(mail).not.toMatch(/A lie|Olga|Otto/);
  const { auditLog } = await app.database.tables();
  const entries = auditLog!.filter(({ act }) => act === 'decide-outside-report');
  expect(entries).toMatchObject([{ reason: '', classId: null, memberId: null, caseId: null }]);
});

test('A mailbox gets as many decisions a day as receipts, and none for spam [OUT-5, LIMIT-62]', async () => {
  app = await startApp({ LIMITS: 'outsideMails=1/1d' });
  const { olga, otto } = await createOperators();
  for (const name of ['victim', 'vic.tim+a', 'v.ictim', 'other']) {
    await send(app.visitor(), { contactAddress: `${name}@elsewhere.example` });
  }
  const idsByAddress = new Map(
    (await list(olga)).map(({ contactAddress: address, reportId }) => [address, reportId]),
  );
  const decideAbout = (
    name: string,
    reason: string,
    decision: OutsideDecisionBody['decision'] = 'notActed',
  ) => decide(olga, idsByAddress.get(`${name}@elsewhere.example`)!, reason, decision);

  await decideAbout('victim', 'It is true.');
  await expect(decideAbout('vic.tim+a', 'It is true.')).rejects.toMatchObject({
    code: 'TOO_MANY',
    message: expect.stringContaining('“Spam, no mail”') as string,
  });
  await decideAbout('vic.tim+a', '', 'spam');
  await decideAbout('v.ictim', 'Not kept', 'spam');
  await decideAbout('other', 'It is true.');
  await waitUntilMailsSent(app);

  const decisions = app.mails().filter((mail) => mail.includes('The reason:'));
  const recipients = decisions.map((mail) => /^To: (.*)@/m.exec(mail)?.[1]);
  expect(new Set(recipients)).toEqual(new Set(['other', 'victim']));
  expect(recipients).toHaveLength(2);
  const spam = (await list(otto)).filter(({ decision }) => decision === 'spam');
  expect(spam).toMatchObject([
    { reason: '', decidedBy: 'Olga' },
    { reason: '', decidedBy: 'Olga' },
  ]);
});

test('Rows of one size tell a thief nothing, survive a new key, and go 184 days after the decision [OUT-3]', async () => {
  app = await startApp();
  const { olga } = await createOperators();
  const sent: OutsideReportBody[] = [
    { ...body, what: 'x' },
    { ...body, what: '長'.repeat(limits.outsideReport) },
  ];
  for (const report of sent) await app.visitor().call('reportFromOutside', { body: report });
  const short = (await list(olga)).find(({ what }) => what === 'x')!;
  await decide(olga, short.reportId, '長'.repeat(limits.decisionReason));
  const { outsideReports } = await app.database.tables();
  const sizes = outsideReports!.map(({ content }) => Buffer.from(content as Buffer).length);
  expect(new Set(sizes).size).toBe(1);
  expect(await app.database.content()).not.toMatch(/elsewhere\.example|The chat of/);

  const settings = await changeKey(app);

  await olga.signIn();
  expect((await list(olga)).map(({ what }) => what)).toEqual([sent[1]!.what, 'x']);
  const today = Math.floor(Date.now() / 86_400_000);
  const setDay = (status: string, days: number) =>
    app.database.query(
      `update "outsideReports" set day = ${today - days} where status = '${status}'`,
    );
  const age = () => Promise.all([setDay('decided', 185), setDay('open', 184)]);
  await app.restart(age, settings);
  await expect.poll(() => list(olga), { timeout: 10_000 }).toMatchObject([{ decision: null }]);
});
