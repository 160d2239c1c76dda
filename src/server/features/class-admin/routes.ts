// The calls by which operators look after classes.
import { deleteClass } from '#server/chat/classes/classes.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
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

export function registerClassAdminRoutes(
  route: Route,
  server: Pick<Server, 'config' | 'db' | 'site'>,
): void {
  const { db } = server;
  const { reopenDays } = server.config;

  route('listAllClasses', async ({ query }) => {
    return { ...(await listAllClasses(db, query)), reopenDays };
  });

  route('editClass', async ({ commits, params: { classId }, body }) => ({
    class: await commits.write(
      (unitOfWork, staffName) => editClass(unitOfWork, classId, body, staffName),
      { classId },
    ),
  }));

  route('endClass', async ({ commits, params: { classId } }) => {
    await commits.write(
      (unitOfWork, staffName) => endClass(unitOfWork, classId, staffName, reopenDays),
      { classId },
    );
    return {};
  });

  route('reopenClass', async ({ commits, params: { classId } }) => {
    await commits.write((unitOfWork, staffName) => reopenClass(unitOfWork, classId, staffName), {
      classId,
    });
    return {};
  });

  route('deleteClass', async ({ commits, params: { classId } }) => {
    await commits.write((unitOfWork, staffName) => deleteClass(unitOfWork, classId, staffName), {
      classId,
    });
    return {};
  });

  route('restoreClass', async ({ commits, params: { classId } }) => {
    await commits.write((unitOfWork, staffName) => restoreClass(unitOfWork, classId, staffName), {
      classId,
    });
    return {};
  });

  route('previewMerge', async ({ params, query }) => {
    const merge = { duplicateId: params.classId, keptId: query.keptClassId };
    const { isEnrolling, roleTotal } = await previewMerge(server, merge);
    return { isEnrolling, roleTotal };
  });

  route('mergeClass', async ({ commits, params, body }) => {
    const merge = { duplicateId: params.classId, keptId: body.keptClassId };
    await commits.write(
      (unitOfWork, staffName) => mergeClasses(unitOfWork, merge, { staffName, reopenDays }),
      'everything',
    );
    return {};
  });

  route('importClasses', async ({ commits, body }) => {
    const lines = body.apply
      ? await commits.write(
          (unitOfWork, staffName) => importClasses(unitOfWork, body.lines, staffName),
          'everything',
        )
      : await planClasses(db, body.lines);
    return { lines: lines.map(({ line, outcome, changes }) => ({ line, outcome, changes })) };
  });

  route('endTerm', ({ commits, body }) => endSomeOfTerm(commits, db, body, reopenDays));

  route('reopenTerm', ({ commits, body }) => reopenSomeOfTerm(commits, db, body));
}
