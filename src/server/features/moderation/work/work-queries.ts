import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { isForOperators } from '#server/features/moderation/reports/cases-queries.ts';
import type { AppealedDecision } from '#server/features/moderation/reports/decider.ts';
import { listWaitingOutsideReports } from '#server/features/moderation/outside/outside-reports-queries.ts';
import { toAppealedDecision } from '#server/features/moderation/reports/self-decision.ts';
import { isReviewForOperators } from '#server/features/moderation/sanctions/reviews-queries.ts';
import type { Database, Tables } from '#server/store/tables.ts';

/** Something to decide: an open case, or an open review of a case. */
export interface WaitingItem {
  /** The id of the case or review. */
  id: string;
  kind: 'case' | 'escalation' | 'appeal';
  classId: string;
  /** The salt of the class, which tells whose persona the member is. */
  salt: string;
  memberId: string;
  /** Days since 1970; null if the reports are erased. */
  day: number | null;
  /** Whether only operators see it. */
  isForOperators: boolean;
  /** The decision that an appeal is about; null for a case or an escalation. */
  appealed: AppealedDecision | null;
}

/** Everything that waits for a decision in classes that are not deleted. */
export async function listWaitingItems(db: Database): Promise<WaitingItem[]> {
  const cases = await selectOpenCases(db)
    .select(['cases.caseId as id', 'cases.classId', 'classes.salt', 'cases.memberId'])
    .select((builder) => toFlag(builder, isForOperators(builder)).as('forOperators'))
    .select(({ selectFrom }) =>
      selectFrom('reports')
        .select(({ fn }) => fn.min('day').as('day'))
        .whereRef('reports.caseId', '=', 'cases.caseId')
        .as('day'),
    )
    .execute();
  const reviews = await selectOpenReviews(db)
    .innerJoin('cases', 'cases.caseId', 'reviews.caseId')
    .leftJoin('reviews as escalations', (join) =>
      join
        .onRef('escalations.subject', '=', 'reviews.caseId')
        .on('reviews.subjectKind', '=', 'suspension'),
    )
    .select(['reviews.reviewId as id', 'reviews.classId', 'classes.salt'])
    .select(['reviews.memberId', 'reviews.kind'])
    .select(['reviews.subjectKind', 'reviews.day', 'cases.caseId', 'cases.decider'])
    .select(['escalations.reviewId as escalationId', 'escalations.decider as escalationDecider'])
    .select((builder) => toFlag(builder, isForOperators(builder)).as('forOperators'))
    .execute();
  return [
    ...cases.map(({ forOperators, ...item }) => ({
      ...item,
      kind: 'case' as const,
      isForOperators: forOperators === 1,
      appealed: null,
    })),
    ...reviews.map((row) => {
      const { id, classId, salt, memberId, kind, day, subjectKind, caseId, escalationId } = row;
      const escalation =
        escalationId === null ? null : { reviewId: escalationId, decider: row.escalationDecider };
      return {
        id,
        classId,
        salt,
        memberId,
        kind,
        day,
        isForOperators: row.forOperators === 1 || isReviewForOperators({ kind, subjectKind }),
        appealed: subjectKind === null ? null : toAppealedDecision(caseId, escalation, row),
      };
    }),
  ];
}

/** @returns the day of the oldest open case, review or report from outside, in days since 1970; null if there is none */
export async function findOldestWaitingDay(db: Database): Promise<number | null> {
  const oldestReport = await selectOpenCases(db)
    .innerJoin('reports', 'reports.caseId', 'cases.caseId')
    .select(({ fn }) => fn.min('reports.day').as('day'))
    .executeTakeFirst();
  const oldestReview = await selectOpenReviews(db)
    .select(({ fn }) => fn.min('reviews.day').as('day'))
    .executeTakeFirst();
  // Without rows, the minimum is null.
  const days = [oldestReport?.day, oldestReview?.day].flatMap((day) => day ?? []);
  for (const { day } of await listWaitingOutsideReports(db)) days.push(day);
  return days.length > 0 ? Math.min(...days) : null;
}

function selectOpenCases(db: Database) {
  return db
    .selectFrom('cases')
    .innerJoin('classes', 'classes.classId', 'cases.classId')
    .where('cases.status', '=', 'open')
    .where('classes.status', '!=', 'deleted');
}

function selectOpenReviews(db: Database) {
  return db
    .selectFrom('reviews')
    .innerJoin('classes', 'classes.classId', 'reviews.classId')
    .where('reviews.status', '=', 'open')
    .where('classes.status', '!=', 'deleted');
}

/** 1 or 0, because PostgreSQL selects booleans and SQLite numbers. */
function toFlag(builder: ExpressionBuilder<Tables, 'cases'>, condition: Expression<SqlBool>) {
  return builder.case().when(condition).then(1).else(0).end();
}
