import type { KeyObject } from 'node:crypto';
import { memberOf } from '../domain/membership.ts';
import { changePersona } from '../domain/personas.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { listAllPersonas } from '../storage/queries/personas.ts';
import type { Route } from './route.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  appName: string;
}

export function personaRoutes(route: Route, { db, commits, personaKey, appName }: Parts): void {
  route('listMembers', 'signedIn', async ({ account, params: { classId } }) => {
    const { persona } = await memberOf(db, personaKey, account.id, classId);
    return { me: persona, personas: await listAllPersonas(db, classId) };
  });

  route('changePersona', 'signedIn', async ({ account, params: { classId }, body }) => {
    const writing = { personaKey, accountId: account.id, classId };
    const persona = await commits.write((write) => changePersona(write, writing, body, appName));
    return { persona };
  });
}
