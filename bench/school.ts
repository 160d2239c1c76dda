// Writes a school with students, classes and enrollments before the server starts, so that the benchmark
// measures the chat and not the sign-up.
import { createHmac, randomUUID } from 'node:crypto';
import { AccountRecords } from '#server/accounts/account-records.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { createPasswordHashing } from '#server/accounts/password-hashing.ts';
import { SessionRecords } from '#server/accounts/session-records.ts';
import { GroupCommitQueue } from '#server/store/commit-queue.ts';
import { loadConfig } from '#server/config/config.ts';
import { getToday } from '#server/base/days.ts';
import { createClass } from '#server/chat/classes/classes.ts';
import { joinClass } from '#server/chat/members/joining.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { postMessage } from '#server/chat/messages/messages.ts';
import { createRandomId, hashToken } from '#server/base/random-id.ts';
import { createLog } from '#server/base/log.ts';
import { ensureServerKey, loadServerKeys } from '#server/base/server-keys.ts';
import { openDatabase } from '#server/store/open-database.ts';
import { password } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';

export interface School {
  classIds: string[];
  /** The address of each student, who has the password of the tests. */
  emails: string[];
  /** The `Cookie` header of each student. */
  cookies: string[];
}

export interface SchoolOptions {
  /** Who is in which class. By default student n is in class n modulo the number of classes. */
  isMember?(student: number, room: number): boolean;
  /** Messages of each class, posted by its members in turn. */
  messagesPerClass?: number;
  /** The server's settings, if it does not use SQLite in the data folder. */
  settings?: Readonly<Record<string, string>>;
}

export async function createSchool(
  dataDir: string,
  students: number,
  classes: number,
  options: SchoolOptions = {},
): Promise<School> {
  const { messagesPerClass = 0, settings = {} } = options;
  const { isMember = (student: number, room: number) => student % classes === room } = options;
  const config = loadConfig({ DATA_DIR: dataDir, ...settings });
  const log = createLog(process.stderr);
  ensureServerKey(config);
  const keys = loadServerKeys(config.secretKey, config.keyDir);
  const { db, kind } = await openDatabase(config.database, keys, log);
  const memberships = new Memberships(keys.personas);
  const createdDay = getToday();
  const mailboxes = createMailboxes(config.domainAliases, keys.mailboxes);
  const accountRecords = new AccountRecords(keys.accounts, mailboxes);
  const site = { keys, operators: [], accountRecords };
  const commits = new GroupCommitQueue({ db, site, kind, log });
  const sessionRecords = new SessionRecords(keys.sessions, accountRecords);
  const passwordHash = await createPasswordHashing().hash(password);
  const accounts: { id: string; email: string; token: string }[] = [];
  await db.transaction().execute(async (tx) => {
    for (let n = 0; n < students; n++) {
      const email = `${university.createPerson(n).localPart}@university.edu`.toLowerCase();
      const account = { email, emailVerified: true, passwordHash };
      const { id, sessionGroup } = await accountRecords.add(tx, account);
      const token = createRandomId() + createRandomId();
      await sessionRecords.insert(tx, sessionGroup, {
        id: hashToken(token),
        accountId: id,
        device: 'Firefox',
        createdDay,
        endDay: createdDay + 30,
      });
      accounts.push({ id, email, token });
    }
  });

  const classIds: string[] = [];
  for (let n = 0; n < classes; n++) {
    const creator = accounts[n % students]!.id;
    const createdClass = await commits.write(
      (unitOfWork) =>
        createClass(unitOfWork, memberships, creator, {
          ...university.createClassFields(n),
          courseNumber: String(100 + n),
        }),
      'everything',
    );
    classIds.push(createdClass.classId);
  }
  const members = classIds.map((_, room) => accounts.filter((_account, n) => isMember(n, room)));
  for (const [room, classId] of classIds.entries()) {
    const ofClass = members[room]!;
    await Promise.all(
      ofClass.map(({ id }) =>
        commits.write(
          (unitOfWork) => joinClass(unitOfWork, memberships, id, classId),
          'everything',
        ),
      ),
    );
    const posts = Array.from({ length: messagesPerClass }, (_, n) => {
      const accountId = ofClass[n % ofClass.length]!.id;
      const author = { accountId, classId };
      const message = { id: randomUUID(), text: university.createMessageText(n) };
      return commits.write((unitOfWork) => postMessage(unitOfWork, author, message), { classId });
    });
    await Promise.all(posts);
  }
  await db.destroy();
  return {
    classIds,
    emails: accounts.map(({ email }) => email),
    cookies: accounts.map(({ token }) => createSessionCookie(token, keys.cookies)),
  };
}

/** The same format as the session cookie: the token and its HMAC. */
export function createSessionCookie(token: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return `backchannel.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}
