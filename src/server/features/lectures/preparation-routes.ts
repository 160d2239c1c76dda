// What staff prepare before a lecture: polls and questions of their own, and whether lectures start by themselves.
import { AppError } from '#contract/errors.ts';
import { findRoleWith } from '#server/chat/staff/rights.ts';
import type { StaffAccount } from '#server/chat/staff/roles.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import type { Reader } from '#server/store/site.ts';
import { planLectures } from './lecture-plan.ts';
import { findLectureZone } from './lecture-plan-queries.ts';
import { deletePrepared, listPrepared, savePrepared } from './prepared.ts';

export function registerPreparationRoutes(route: Route, server: Pick<Server, 'db' | 'site'>): void {
  route('readPreparation', async ({ account, params: { classId } }) => ({
    startsAtClassTime: (await findLectureZone(server.db, classId)) !== null,
    preparedItems: [...(await listPrepared(server, { accountId: account.id, classId }))],
  }));

  route('planLectures', async ({ commits, params: { classId }, body }) => {
    await commits.write(
      (unitOfWork, staffName) => planLectures(unitOfWork, classId, body.timeZone, staffName),
      { classId },
    );
    return {};
  });

  route('savePrepared', async ({ commits, account, params: { classId, messageId }, body }) => {
    const owner = { accountId: account.id, classId };
    await commits.write(
      async (unitOfWork) => {
        await checkSpeaks(unitOfWork, account, classId);
        await savePrepared(unitOfWork, owner, { ...body, messageId });
      },
      { classId },
    );
    return {};
  });

  route('deletePrepared', async ({ commits, account, params: { classId, messageId } }) => {
    const owner = { accountId: account.id, classId };
    await commits.write((unitOfWork) => deletePrepared(unitOfWork, owner, messageId), { classId });
    return {};
  });
}

async function checkSpeaks(reader: Reader, account: StaffAccount, classId: string): Promise<void> {
  if (!(await findRoleWith(reader, account, classId, 'speakAsStaff'))) {
    throw new AppError('PREPARE_AS_STAFF');
  }
}
