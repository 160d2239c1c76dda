// The calls by which operators look after classes.
import type { KeyObject } from 'node:crypto';
import { deleteClass } from '#server/chat/classes/classes.ts';
import type { Operators } from '#server/chat/staff/operators.ts';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import {
  editClass,
  endSomeOfTerm,
  importClasses,
  listAllClasses,
  planClasses,
  reopenSomeOfTerm,
} from './class-administration.ts';
import { restoreClass } from './deleted-classes.ts';
import { endClass, reopenClass } from './ended-classes.ts';
import { mergeClasses, previewMerge } from './merge-classes.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  operators: Operators;
  /** How many days an ended class can be reopened. */
  reopenDays: number;
}

export function registerClassAdminRoutes(route: Route, dependencies: Dependencies): void {
  const { db, personaKey, operators, reopenDays } = dependencies;

  route('listAllClasses', 'signedIn', async ({ account, query }) => {
    await operators.check(db, account);
    return { ...(await listAllClasses(db, query)), reopenDays };
  });

  route('editClass', 'signedIn', async ({ commits, account, params: { classId }, body }) => ({
    class: await operators.act(commits, account, { classId }, (unitOfWork, staffName) =>
      editClass(unitOfWork, classId, body, staffName),
    ),
  }));

  route('endClass', 'signedIn', async ({ commits, account, params: { classId } }) => {
    await operators.act(commits, account, { classId }, (unitOfWork, staffName) =>
      endClass(unitOfWork, classId, staffName, reopenDays),
    );
    return {};
  });

  route('reopenClass', 'signedIn', async ({ commits, account, params: { classId } }) => {
    await operators.act(commits, account, { classId }, (unitOfWork, staffName) =>
      reopenClass(unitOfWork, classId, staffName),
    );
    return {};
  });

  route('deleteClass', 'signedIn', async ({ commits, account, params: { classId } }) => {
    await operators.act(commits, account, { classId }, (unitOfWork, staffName) =>
      deleteClass(unitOfWork, classId, staffName),
    );
    return {};
  });

  route('restoreClass', 'signedIn', async ({ commits, account, params: { classId } }) => {
    await operators.act(commits, account, { classId }, (unitOfWork, staffName) =>
      restoreClass(unitOfWork, classId, staffName),
    );
    return {};
  });

  route('previewMerge', 'signedIn', async ({ account, params, query }) => {
    await operators.check(db, account);
    const merge = { duplicateId: params.classId, keptId: query.keptClassId };
    const { isEnrolling, roleTotal } = await previewMerge(db, personaKey, merge);
    return { isEnrolling, roleTotal };
  });

  route('mergeClass', 'signedIn', async ({ commits, account, params, body }) => {
    const merge = { duplicateId: params.classId, keptId: body.keptClassId };
    await operators.act(commits, account, 'everything', (unitOfWork, staffName) =>
      mergeClasses(unitOfWork, personaKey, merge, { staffName, reopenDays }),
    );
    return {};
  });

  route('importClasses', 'signedIn', async ({ commits, account, body }) => {
    await operators.check(db, account);
    const lines = body.apply
      ? await operators.act(commits, account, 'everything', (unitOfWork, staffName) =>
          importClasses(unitOfWork, body.lines, staffName),
        )
      : await planClasses(db, body.lines);
    return { lines: lines.map(({ line, outcome, changes }) => ({ line, outcome, changes })) };
  });

  route('endTerm', 'signedIn', async ({ commits, account, body }) => {
    await operators.check(db, account);
    return endSomeOfTerm(commits, db, body, reopenDays, (unitOfWork) =>
      operators.check(unitOfWork.db, account),
    );
  });

  route('reopenTerm', 'signedIn', async ({ commits, account, body }) => {
    await operators.check(db, account);
    return reopenSomeOfTerm(commits, db, body, (unitOfWork) =>
      operators.check(unitOfWork.db, account),
    );
  });
}
