import { isReviewForOperators } from '#server/features/moderation/sanctions/reviews-queries.ts';
import type { Database } from '#server/store/tables.ts';

/** Something to decide: an open case, or an open review of a case. */
export interface WaitingItem {
  kind: 'case' | 'escalation' | 'appeal';
  classId: string;
  /** The salt of the class, which tells whose persona the member is. */
  salt: string;
  memberId: string;
  /** Days since 1970; null if the reports are erased. */
  day: number | null;
  /** Whether only operators see it. */
  isForOperators: boolean;
}

/** Everything that waits for a decision in classes that are not deleted. */
export async function listWaitingItems(db: Database): Promise<WaitingItem[]> {
  const cases = await db
    .selectFrom('cases')
    .innerJoin('classes', 'classes.classId', 'cases.classId')
    .leftJoin('personas', (join) =>
      join
        .onRef('personas.classId', '=', 'cases.classId')
        .onRef('personas.memberId', '=', 'cases.memberId'),
    )
    .select(['cases.classId', 'classes.salt', 'cases.memberId', 'cases.forOperators'])
    .select('personas.unlinked')
    .select(({ selectFrom }) =>
      selectFrom('reports')
        .select(({ fn }) => fn.min('day').as('day'))
        .whereRef('reports.caseId', '=', 'cases.caseId')
        .as('day'),
    )
    .where('cases.status', '=', 'open')
    .where('classes.status', '!=', 'deleted')
    .execute();
  const reviews = await db
    .selectFrom('reviews')
    .innerJoin('cases', 'cases.caseId', 'reviews.caseId')
    .innerJoin('classes', 'classes.classId', 'reviews.classId')
    .select(['reviews.classId', 'classes.salt', 'reviews.memberId', 'reviews.kind'])
    .select(['reviews.subjectKind', 'reviews.day', 'cases.forOperators'])
    .where('reviews.status', '=', 'open')
    .where('classes.status', '!=', 'deleted')
    .execute();
  return [
    ...cases.map(({ forOperators, unlinked, ...item }) => ({
      ...item,
      kind: 'case' as const,
      isForOperators: forOperators === 1 || unlinked === 1,
    })),
    ...reviews.map(({ subjectKind, forOperators, ...item }) => ({
      ...item,
      isForOperators: forOperators === 1 || isReviewForOperators({ kind: item.kind, subjectKind }),
    })),
  ];
}
