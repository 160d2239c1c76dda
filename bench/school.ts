// Writes a school with students, classes and enrolments before the server starts, so that the benchmark
// measures the chat and not the sign-up.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { hashToken } from '../src/server/accounts/hashed-tokens.ts';
import { createCommitQueue } from '../src/server/storage/commit-queue.ts';
import { readConfig } from '../src/server/config.ts';
import { createClass } from '../src/server/domain/classes.ts';
import { joinClass } from '../src/server/domain/membership.ts';
import { randomId } from '../src/server/random-id.ts';
import { createLog } from '../src/server/log.ts';
import { ensureServerKey, keyCheckValue, loadServerKeys } from '../src/server/server-keys.ts';
import { openDatabase } from '../src/server/storage/open-database.ts';

export interface School {
  classIds: string[];
  /** The `Cookie` header of each student. Student n is a member of class n modulo the number of classes. */
  cookies: string[];
}

export async function createSchool(
  dataDir: string,
  students: number,
  classes: number,
): Promise<School> {
  const config = readConfig({ DATA_DIR: dataDir });
  const log = createLog(process.stderr);
  ensureServerKey(config);
  const keys = loadServerKeys(null, dataDir);
  const { db } = await openDatabase(config.database, keyCheckValue(keys), log);
  const commits = createCommitQueue(db, () => {}, log);

  const today = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
  const expiresAt = new Date(today.getTime() + 30 * 86_400_000).toISOString();
  const day = today.toISOString();
  const accounts: { id: string; token: string }[] = [];
  await db.transaction().execute(async (tx) => {
    for (let n = 0; n < students; n++) {
      const [id, sessionId, token] = [randomId(), randomId(), randomId() + randomId()];
      await sql`insert into accounts (id, email, "emailVerified", name, "createdAt", "updatedAt")
        values (${id}, ${`student${n}@university.edu`}, 1, '', ${day}, ${day})`.execute(tx);
      await sql`insert into sessions (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
        values (${sessionId}, ${hashToken(token)}, ${id}, ${expiresAt}, ${day}, ${day})`.execute(
        tx,
      );
      accounts.push({ id, token });
    }
  });

  const classIds: string[] = [];
  for (const [n, { id }] of accounts.slice(0, classes).entries()) {
    const made = await commits.write((write) =>
      createClass(write, id, {
        courseName: `Course ${n}`,
        subjectAbbreviation: 'CS',
        courseNumber: String(100 + n),
        sectionNumber: '01',
        semesterSeason: 'Fall',
        classSchedule: ['Monday'],
        beginClassTime: '09:00',
        endClassTime: '10:15',
      }),
    );
    classIds.push(made.classId);
  }
  await Promise.all(
    accounts.map(({ id }, n) =>
      commits.write((write) => joinClass(write, id, classIds[n % classes] ?? '')),
    ),
  );
  await db.destroy();
  return { classIds, cookies: accounts.map(({ token }) => sessionCookie(token, keys.cookies)) };
}

/** The same format as the session cookie: the token and its HMAC. */
function sessionCookie(token: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return `backchannel.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}
