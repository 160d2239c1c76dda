// The queries for cases that changes of a message need, because the evidence of a case keeps the reported text.
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type CaseRow = Selectable<Tables['cases']>;

/** A message, or a member if `messageId` is null. */
export interface Target {
  classId: string;
  memberId: string;
  messageId: string | null;
}

/** The case of the message or member whose decision is missing or can still be undone. */
export async function findUndecidedCase(
  db: Database,
  { classId, memberId, messageId }: Target,
): Promise<CaseRow | null> {
  const cases = db
    .selectFrom('cases')
    .selectAll()
    .where('classId', '=', classId)
    .where('status', '!=', 'decided');
  const targetCases =
    messageId === null
      ? cases.where('memberId', '=', memberId).where('messageId', 'is', null)
      : cases.where('messageId', '=', messageId);
  return (await targetCases.executeTakeFirst()) ?? null;
}

/** The cases of the message that hold evidence. */
export async function listCasesWithEvidence(
  db: Database,
  classId: string,
  messageId: string,
): Promise<CaseRow[]> {
  return db
    .selectFrom('cases')
    .selectAll()
    .where('classId', '=', classId)
    .where('messageId', '=', messageId)
    .where('evidence', 'is not', null)
    .execute();
}

export async function hasEvidence(
  db: Database,
  classId: string,
  messageId: string,
): Promise<boolean> {
  return (await listCasesWithEvidence(db, classId, messageId)).length > 0;
}

export type CaseChange = Partial<
  Pick<
    CaseRow,
    | 'status'
    | 'version'
    | 'evidence'
    | 'decision'
    | 'sanctionKind'
    | 'sanctionHours'
    | 'decider'
    | 'reason'
    | 'decidedBy'
    | 'effectiveAt'
    | 'escalates'
    | 'forOperators'
  >
>;

export async function updateCase(
  db: DatabaseTransaction,
  caseId: string,
  change: CaseChange,
): Promise<void> {
  await db.updateTable('cases').set(change).where('caseId', '=', caseId).execute();
}
