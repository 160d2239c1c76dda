import { createClass, listMyClasses, readClass } from '../domain/classes.ts';
import { joinClass, leaveClass } from '../domain/membership.ts';
import type { Hub } from '../socket/hub.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import type { Route } from './route.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  hub: Hub;
}

export function classRoutes(route: Route, { db, commits, hub }: Parts): void {
  route('listClasses', 'signedIn', async ({ account }) => ({
    classes: await listMyClasses(db, account.id),
  }));

  route('createClass', 'signedIn', async ({ account, body }) => {
    const created = await commits.write((write) => createClass(write, account.id, body));
    hub.enrolment(account.id, created.classId, true);
    return { class: created };
  });

  route('readClass', 'signedIn', async ({ account, params }) =>
    readClass(db, account.id, params.classId),
  );

  route('joinClass', 'signedIn', async ({ account, params: { classId } }) => {
    const joined = await commits.write((write) => joinClass(write, account.id, classId));
    hub.enrolment(account.id, classId, true);
    return { class: joined };
  });

  route('leaveClass', 'signedIn', async ({ account, params: { classId } }) => {
    await commits.write((write) => leaveClass(write, account.id, classId));
    hub.enrolment(account.id, classId, false);
    return {};
  });
}
