import type { Reader } from '../database.ts';
import { prepared } from '../prepared.ts';

const selectSession = prepared((db, $: { token: string }) =>
  db.selectFrom('sessions').select(['id', 'userId', 'expiresAt']).where('token', '=', $.token),
);

const selectEmail = prepared((db, $: { id: string }) =>
  db.selectFrom('accounts').select('email').where('id', '=', $.id),
);

export interface SessionRow {
  id: string;
  accountId: string;
  email: string;
  expiresAt: Date;
}

/** The session with this token, also when its time is over. */
export async function findSession(db: Reader, token: string): Promise<SessionRow | null> {
  const [session] = await selectSession(db, { token });
  const [account] = session ? await selectEmail(db, { id: session.userId }) : [];
  if (!session || !account) return null;
  const { id, userId: accountId, expiresAt } = session;
  return { id, accountId, email: account.email, expiresAt: new Date(expiresAt) };
}
