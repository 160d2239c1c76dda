// Cases: all reports of one message or member, and the decision.
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { toClassLabel } from '#contract/class-label.ts';
import type { Persona } from '#contract/entities.ts';
import { hasCaseAskerPrefix } from '#server/chat/members/member-ids.ts';
import { toPersona } from '#server/chat/members/personas-queries.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import type { CaseRow, Target } from '#server/chat/messages/evidence-queries.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export async function findCase(db: Database, caseId: string): Promise<CaseRow | null> {
  const row = await db
    .selectFrom('cases')
    .selectAll()
    .where('caseId', '=', caseId)
    .executeTakeFirst();
  return row ?? null;
}

/** Adds an open case at the end of the queue. */
export async function insertCase(
  db: DatabaseTransaction,
  row: Target & { caseId: string; evidence: string | null; forOperators: number },
): Promise<void> {
  const last = await db
    .selectFrom('cases')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  const number = (last?.number ?? 0) + 1;
  await db
    .insertInto('cases')
    .values({ ...row, number, status: 'open', version: 1 })
    .execute();
}

export interface CaseSelection {
  /** Null for all classes. */
  classIds: readonly string[] | null;
  /** Whether cases for operators count. */
  isOperator: boolean;
  state: 'open' | 'decided' | 'escalated' | 'appeals';
  /** Whether appeals of suspensions count. */
  withSuspensions: boolean;
  /** The number of the last case of the previous page. */
  beforeNumber: number;
  limit: number;
}

/** Newest first, without those of deleted classes. An appeal of a suspension stays until the class is erased. */
export async function listCases(
  db: Database,
  selection: CaseSelection,
): Promise<(CaseRow & { salt: string })[]> {
  const { classIds, isOperator, state, withSuspensions, beforeNumber, limit } = selection;
  if (classIds?.length === 0) return [];
  const kind = state === 'escalated' ? 'escalation' : 'appeal';
  const open = db
    .selectFrom('reviews')
    .select('caseId')
    .where('kind', '=', kind)
    .where('status', '=', 'open')
    .$if(kind === 'appeal' && !withSuspensions, (query) =>
      query.where('subjectKind', '!=', 'suspension'),
    );
  const isReviewed = state === 'escalated' || state === 'appeals';
  return (
    db
      .selectFrom('cases')
      .innerJoin('classes', 'classes.classId', 'cases.classId')
      .selectAll('cases')
      .select('classes.salt')
      // A suspension outlives the deletion of its class, and so does its appeal.
      .where((builder) =>
        builder.or([
          builder('classes.status', '!=', 'deleted'),
          ...(state === 'appeals'
            ? [builder('cases.caseId', 'in', open.where('subjectKind', '=', 'suspension'))]
            : []),
        ]),
      )
      .$if(isReviewed, (query) => query.where('cases.caseId', 'in', open))
      .$if(!isReviewed, (query) =>
        query.where('cases.status', state === 'open' ? '=' : '!=', 'open'),
      )
      .$if(!isOperator, (query) => query.where((builder) => builder.not(isForOperators(builder))))
      .where('cases.number', '<', beforeNumber)
      .$if(classIds !== null, (query) => query.where('cases.classId', 'in', classIds ?? []))
      .orderBy('cases.number', 'desc')
      .limit(limit)
      .execute()
  );
}

/** Only operators see the case: a reporter asked for them, or its persona has lost the link to an account. */
export function isForOperators({
  or,
  eb,
  exists,
  selectFrom,
}: ExpressionBuilder<Tables, 'cases'>): Expression<SqlBool> {
  return or([
    eb('cases.forOperators', '=', 1),
    exists(
      selectFrom('personas')
        .select('personas.memberId')
        .whereRef('personas.classId', '=', 'cases.classId')
        .whereRef('personas.memberId', '=', 'cases.memberId')
        .where('personas.unlinked', '=', 1),
    ),
  ]);
}

export async function isCaseForOperators(db: Database, caseId: string): Promise<boolean> {
  const row = await db
    .selectFrom('cases')
    .select('caseId')
    .where('caseId', '=', caseId)
    .where(isForOperators)
    .executeTakeFirst();
  return row !== undefined;
}

/** Tells that the case has changed. */
export function toCaseEffect({ classId, forOperators }: CaseRow) {
  return { kind: 'case', classId, isForOperators: forOperators === 1 } as const;
}

/** What a case is about, as it is now. */
export interface CaseSubject {
  caseId: string;
  /** Null if it is deleted. */
  label: string | null;
  persona: Persona | null;
  message: Pick<MessageRow, 'deleted' | 'moderation'> | null;
}

export async function listSubjects(
  db: Database,
  caseIds: readonly string[],
): Promise<CaseSubject[]> {
  if (caseIds.length === 0) return [];
  const rows = await db
    .selectFrom('cases')
    .leftJoin('classes', (join) =>
      join.onRef('classes.classId', '=', 'cases.classId').on('classes.status', '!=', 'deleted'),
    )
    .leftJoin('personas', (join) =>
      join
        .onRef('personas.classId', '=', 'cases.classId')
        .onRef('personas.memberId', '=', 'cases.memberId'),
    )
    .leftJoin('messages', (join) =>
      join
        .onRef('messages.classId', '=', 'cases.classId')
        .onRef('messages.id', '=', 'cases.messageId'),
    )
    .leftJoin('privateTurns', (join) =>
      join
        .onRef('privateTurns.classId', '=', 'cases.classId')
        .onRef('privateTurns.id', '=', 'cases.messageId'),
    )
    .select(['cases.caseId', 'cases.memberId', 'privateTurns.id as turnId'])
    .select(['classes.status', 'name', 'courseName', 'subjectAbbreviation', 'courseNumber'])
    .select(['anonymousName', 'icon', 'staff'])
    .select(['messages.deleted', 'messages.moderation'])
    .where('cases.caseId', 'in', caseIds)
    .execute();
  return rows.map(({ caseId, memberId, status, anonymousName, icon, staff, ...row }) => {
    const { name, courseName, subjectAbbreviation, courseNumber, deleted, moderation, turnId } =
      row;
    const named = { name, courseName, subjectAbbreviation, courseNumber };
    const hasPersona = anonymousName !== null && icon !== null && staff !== null;
    return {
      caseId,
      label: status === null ? null : toClassLabel(named),
      persona: hasPersona ? toPersona({ memberId, anonymousName, icon, staff }) : null,
      // A turn of a private question cannot be hidden.
      message: deleted === null && turnId === null ? null : { deleted: deleted ?? 0, moderation },
    };
  });
}

/**
 * The decided cases of these members whose message was removed and that sanctioned no one, until their evidence is
 * erased. A sanction has its own reason.
 */
export async function listRemovedMessages(
  db: Database,
  classIds: readonly string[],
  memberIds: readonly string[],
): Promise<Pick<CaseRow, 'caseId' | 'classId' | 'reason'>[]> {
  if (memberIds.length === 0) return [];
  return db
    .selectFrom('cases')
    .select(['caseId', 'classId', 'reason'])
    .where('classId', 'in', classIds)
    .where('memberId', 'in', memberIds)
    .where('status', '=', 'decided')
    .where('decision', '=', 'remove')
    .where('sanctionKind', 'is', null)
    .where('evidence', 'is not', null)
    .execute();
}

/** Lists the ids by which cases name askers of private questions. */
export async function listPrivateAskers(
  db: Database,
  classIds: readonly string[],
): Promise<Pick<CaseRow, 'classId' | 'memberId'>[]> {
  if (classIds.length === 0) return [];
  const rows = await db
    .selectFrom('cases')
    .select(['classId', 'memberId'])
    .distinct()
    .where('classId', 'in', classIds)
    .execute();
  return rows.filter(({ memberId }) => hasCaseAskerPrefix(memberId));
}

/**
 * Decided cases that took effect by this time and still hold evidence or reports. A case with an escalation or an
 * appeal waits for the decision on it.
 */
export async function listCasesToErase(
  db: Database,
  decidedBefore: number,
  limit: number,
): Promise<CaseRow[]> {
  return db
    .selectFrom('cases')
    .selectAll()
    .where('status', '=', 'decided')
    .where('effectiveAt', '<=', decidedBefore)
    .where(({ not, or, eb, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('reviews')
            .select('reviewId')
            .whereRef('reviews.caseId', '=', 'cases.caseId')
            .where(or([eb('status', '!=', 'decided'), eb('effectiveAt', '>', decidedBefore)])),
        ),
      ),
    )
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('evidence', 'is not', null),
        exists(
          selectFrom('reports').select('target').whereRef('reports.caseId', '=', 'cases.caseId'),
        ),
      ]),
    )
    .limit(limit)
    .execute();
}

/** Open cases whose last report is from this day or earlier. */
export async function listForgottenCases(
  db: Database,
  lastDay: number,
  limit: number,
): Promise<CaseRow[]> {
  return db
    .selectFrom('cases')
    .selectAll()
    .where('status', '=', 'open')
    .where(
      ({ selectFrom }) =>
        selectFrom('reports')
          .select(({ fn }) => fn.max('day').as('day'))
          .whereRef('reports.caseId', '=', 'cases.caseId'),
      '<=',
      lastDay,
    )
    .limit(limit)
    .execute();
}

/** All cases with evidence, a page at a time, by id. */
export async function listEvidenceAfter(
  db: Database,
  caseId: string,
  limit: number,
): Promise<CaseRow[]> {
  return db
    .selectFrom('cases')
    .selectAll()
    .where('evidence', 'is not', null)
    .where('caseId', '>', caseId)
    .orderBy('caseId')
    .limit(limit)
    .execute();
}

export async function clearAllEvidence(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('cases').set({ evidence: null }).execute();
}
