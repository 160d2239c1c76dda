// The calls of /admin. Only operators may make them.
import type { KeyObject } from 'node:crypto';
import type { OverviewReader } from './overview.ts';
import { settingsInForce } from './settings-in-force.ts';
import type { Config } from '#server/config/config.ts';
import type { StaffAccount, Roles } from '#server/chat/staff/roles.ts';
import {
  announce,
  listAnnouncements,
  withdrawAnnouncement,
} from '#server/features/announcements/announcements.ts';
import {
  editClass,
  endSomeOfTerm,
  importClass,
  listAllClasses,
  planImport,
} from '#server/features/class-admin/class-administration.ts';
import { deleteClass } from '#server/chat/classes/classes.ts';
import { restoreClass } from '#server/features/class-admin/deleted-classes.ts';
import { endClass, reopenClass } from '#server/features/class-admin/ended-classes.ts';
import { mergeStep, previewMerge } from '#server/features/class-admin/merge-classes.ts';
import { requireRight } from '#server/chat/staff/rights.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/unit-of-work.ts';
import type { Route } from '#server/http/route.ts';

interface Parts {
  config: Config;
  db: Database;
  commits: CommitQueue;
  timesKey: KeyObject;
  roles: Roles;
  overview: Pick<OverviewReader, 'read'>;
}

export function adminRoutes(route: Route, parts: Parts): void {
  const { config, db, commits, timesKey, roles, overview } = parts;
  const { reopenDays } = config;
  const authorize = (of: { db: Database }, account: StaffAccount) =>
    requireRight(of.db, roles, account, null, 'administer');

  /** The right is checked in the commit, so that no act follows the end of the role. */
  async function act<Result>(
    account: StaffAccount,
    scope: Scope,
    change: (unitOfWork: UnitOfWork, by: string) => Promise<Result>,
  ): Promise<Result> {
    return commits.write(
      async (unitOfWork) => change(unitOfWork, await authorize(unitOfWork, account)),
      scope,
    );
  }

  route('readOverview', 'signedIn', async ({ account }) => {
    await authorize({ db }, account);
    return overview.read();
  });

  route('readSettingsInForce', 'signedIn', async ({ account }) => {
    await authorize({ db }, account);
    return { inForce: settingsInForce(config) };
  });

  route('listAllClasses', 'signedIn', async ({ account, query }) => {
    await authorize({ db }, account);
    return { ...(await listAllClasses(db, query)), reopenDays };
  });

  route('editClass', 'signedIn', async ({ account, params: { classId }, body }) => ({
    class: await act(account, { classId }, (unitOfWork, by) =>
      editClass(unitOfWork, classId, body, by),
    ),
  }));

  route('endClass', 'signedIn', async ({ account, params: { classId } }) => {
    await act(account, { classId }, (unitOfWork, by) =>
      endClass(unitOfWork, classId, by, reopenDays),
    );
    return {};
  });

  route('reopenClass', 'signedIn', async ({ account, params: { classId } }) => {
    await act(account, { classId }, (unitOfWork, by) => reopenClass(unitOfWork, classId, by));
    return {};
  });

  route('deleteClass', 'signedIn', async ({ account, params: { classId } }) => {
    await act(account, { classId }, (unitOfWork, by) => deleteClass(unitOfWork, classId, by));
    return {};
  });

  route('restoreClass', 'signedIn', async ({ account, params: { classId } }) => {
    await act(account, { classId }, (unitOfWork, by) => restoreClass(unitOfWork, classId, by));
    return {};
  });

  route('previewMerge', 'signedIn', async ({ account, params, query }) => {
    await authorize({ db }, account);
    const merge = { duplicateId: params.classId, keptId: query.keptClassId };
    const { isEnrolling, roleTotal } = await previewMerge(db, merge);
    return { isEnrolling, roleTotal };
  });

  route('mergeClass', 'signedIn', async ({ account, params, body }) => {
    const merge = { duplicateId: params.classId, keptId: body.keptClassId };
    return {
      stepsLeft: await act(account, 'everything', (unitOfWork, by) =>
        mergeStep(unitOfWork, timesKey, merge, by, reopenDays),
      ),
    };
  });

  route('listAnnouncements', 'signedIn', async ({ account }) => {
    await authorize({ db }, account);
    return { announcements: await listAnnouncements(db) };
  });

  route('announce', 'signedIn', async ({ account, body }) => {
    const { announcementId } = await act(account, 'nothing', (unitOfWork, by) =>
      announce(unitOfWork, body, by),
    );
    return { announcementId };
  });

  route('withdrawAnnouncement', 'signedIn', async ({ account, params: { announcementId } }) => {
    await act(account, 'nothing', (unitOfWork, by) =>
      withdrawAnnouncement(unitOfWork, announcementId, by),
    );
    return {};
  });

  route('importClasses', 'signedIn', async ({ account, body }) => {
    await authorize({ db }, account);
    const lines = [];
    for (const { line, fields } of body.lines) {
      const { outcome, changes } = body.apply
        ? await act(account, 'everything', (unitOfWork, by) => importClass(unitOfWork, fields, by))
        : await planImport(db, fields);
      lines.push({ line, outcome, changes });
    }
    return { lines };
  });

  route('endTerm', 'signedIn', async ({ account, body }) => {
    await authorize({ db }, account);
    return endSomeOfTerm(commits, db, body, reopenDays, (unitOfWork) =>
      authorize(unitOfWork, account),
    );
  });
}
