// What happens to stored evidence: a further report marks it, retention erases it, a new server key encrypts it again.
import type { KeyObject } from 'node:crypto';
import { replaceMentionIds } from '#contract/mentions.ts';
import { toDay } from '#server/base/days.ts';
import { releaseEvidenceImages } from '#server/chat/attachments/attachment-queries.ts';
import {
  listCasesWithEvidence,
  updateCase,
  type CaseRow,
} from '#server/chat/messages/evidence-queries.ts';
import { decryptEvidence, sealEvidence } from '#server/chat/messages/evidence.ts';
import { eraseReviewText } from '#server/features/moderation/sanctions/reviews.ts';
import { listReviewsToErase } from '#server/features/moderation/sanctions/reviews-queries.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { listCasesToErase, listEvidenceAfter, listForgottenCases } from './cases-queries.ts';

const retentionMs = 30 * 24 * 60 * 60_000; // MOD-10
/** A case without a decision is erased this many days after its last report. */
const undecidedDays = 180; // MOD-65
const casesPerPage = 20;

/** Marks the newest text of the message as reported, so that it is kept. */
export async function markReported(
  db: DatabaseTransaction,
  key: KeyObject,
  caseRow: CaseRow,
): Promise<void> {
  const evidence = decryptEvidence(key, caseRow);
  const last = evidence?.edits.at(-1);
  if (!evidence || !last || last.wasReported) return;
  last.wasReported = true;
  await updateCase(db, caseRow.caseId, { evidence: sealEvidence(key, caseRow.caseId, evidence) });
}

/**
 * Erases what moderators decided 30 days ago: the texts of appeals, and the evidence and reports of cases. Old cases without a
 * decision are erased, too.
 */
export async function eraseOldEvidence(
  db: Database,
  commits: CommitQueue,
  key: KeyObject,
  now: number,
  stopping: StopSign,
): Promise<void> {
  const decidedBefore = now - retentionMs;
  const undecidedSinceDay = toDay(new Date(now)) - undecidedDays;

  /** Erases each row of a page in its own commit, page after page, until no row is due. */
  async function eraseDueRows<Row extends { classId: string; caseId: string; reviewId?: string }>(
    listDueRows: (database: Database) => Promise<Row[]>,
    eraseRow: (unitOfWork: UnitOfWork, row: Row) => Promise<void>,
  ): Promise<void> {
    for (let rows = await listDueRows(db); rows.length > 0; rows = await listDueRows(db)) {
      for (const { classId, caseId, reviewId } of rows) {
        if (stopping.aborted) return;
        await commits.write(
          async (unitOfWork) => {
            // A moderator may have decided since the page was read.
            const currentRows = await listDueRows(unitOfWork.db);
            const dueRow = currentRows.find(
              (row) => row.caseId === caseId && row.reviewId === reviewId,
            );
            if (dueRow) await eraseRow(unitOfWork, dueRow);
          },
          { classId },
        );
      }
    }
  }

  const eraseCase = (unitOfWork: UnitOfWork, caseRow: CaseRow) =>
    eraseEvidence(unitOfWork, key, caseRow);
  await eraseDueRows(
    (database) => listReviewsToErase(database, decidedBefore, casesPerPage),
    eraseReviewText,
  );
  await eraseDueRows(
    (database) => listCasesToErase(database, decidedBefore, casesPerPage),
    eraseCase,
  );
  await eraseDueRows(
    (database) => listForgottenCases(database, undecidedSinceDay, casesPerPage),
    eraseCase,
  );
}

async function eraseEvidence(
  unitOfWork: UnitOfWork,
  key: KeyObject,
  caseRow: CaseRow,
): Promise<void> {
  const { db } = unitOfWork;
  const { caseId, classId, messageId } = caseRow;
  if (caseRow.status === 'decided') await updateCase(db, caseId, { evidence: null });
  else await db.deleteFrom('cases').where('caseId', '=', caseId).execute();
  await db.deleteFrom('reports').where('caseId', '=', caseId).execute();
  unitOfWork.contentErased();
  if (messageId === null) return;
  // Another case of the same message may still need the pictures.
  const isNeeded = (await listCasesWithEvidence(db, classId, messageId)).length > 0;
  const images = decryptEvidence(key, caseRow)?.images ?? [];
  if (!isNeeded) {
    await releaseEvidenceImages(
      db,
      images.map(({ imageId }) => imageId),
    );
  }
}

/** Seals all evidence with a new key, and replaces the memberIds of mentioned members by their new ones. */
export async function resealEvidence(
  db: DatabaseTransaction,
  keys: { previous: KeyObject; next: KeyObject },
  toNewId: (classId: string, memberId: string) => string,
): Promise<void> {
  for (let lastCaseId = ''; ;) {
    const cases = await listEvidenceAfter(db, lastCaseId, casesPerPage);
    for (const caseRow of cases) {
      const evidence = decryptEvidence(keys.previous, caseRow);
      if (!evidence) continue;
      const replaceIds = (text: string) =>
        replaceMentionIds(text, (id) => toNewId(caseRow.classId, id));
      const edits = evidence.edits.map((edit) => ({ ...edit, text: replaceIds(edit.text) }));
      const newEvidence = { ...evidence, text: replaceIds(evidence.text), edits };
      await updateCase(db, caseRow.caseId, {
        evidence: sealEvidence(keys.next, caseRow.caseId, newEvidence),
      });
    }
    const last = cases.at(-1);
    if (!last) return;
    lastCaseId = last.caseId;
  }
}
