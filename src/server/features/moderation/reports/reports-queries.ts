// Reports under ids of reporters, which only the server key can link to accounts.
import type { Selectable } from 'kysely';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type ReportRow = Selectable<Tables['reports']>;

/** Replaces the reporter's earlier report of the target. */
export async function saveReport(db: DatabaseTransaction, row: ReportRow): Promise<void> {
  const { classId, reporter, target, caseId, reason, text, day } = row;
  await db
    .insertInto('reports')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['classId', 'reporter', 'target'])
        .doUpdateSet({ caseId, reason, text, day }),
    )
    .execute();
  await shuffleNeighbors(db, 'reports', { classId, reporter, target });
}

export async function findReport(
  db: Database,
  { classId, reporter, target }: Pick<ReportRow, 'classId' | 'reporter' | 'target'>,
): Promise<ReportRow | null> {
  const row = await db
    .selectFrom('reports')
    .selectAll()
    .where('classId', '=', classId)
    .where('reporter', '=', reporter)
    .where('target', '=', target)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * The newest reports of each case, newest first by day, and how many it has. Within a day the order is random: by the sealed
 * text, because an order by reporter would show which reports of several cases one member may have sent.
 */
export async function listReports(
  db: Database,
  caseIds: readonly string[],
  limit: number,
): Promise<(ReportRow & { allCount: number })[]> {
  if (caseIds.length === 0) return [];
  const numbered = db
    .selectFrom('reports')
    .selectAll()
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .over((builder) => builder.partitionBy('caseId'))
        .as('allCount'),
      fn
        .agg<number>('row_number')
        .over((builder) => builder.partitionBy('caseId').orderBy('day', 'desc').orderBy('text'))
        .as('place'),
    ])
    .where('caseId', 'in', caseIds);
  return db
    .selectFrom(numbered.as('numbered'))
    .selectAll()
    .where('place', '<=', limit)
    .orderBy('place')
    .execute();
}

/**
 * The reports of the case by members with fewer than `maxUnconfirmed` reports of other messages of the class that are
 * undecided or about messages that moderators kept.
 */
export async function countEffectiveReports(
  db: Database,
  caseId: string,
  maxUnconfirmed: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('reports')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('reports.caseId', '=', caseId)
    .where(
      ({ selectFrom }) =>
        selectFrom('reports as other')
          .innerJoin('cases', 'cases.caseId', 'other.caseId')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('other.classId', '=', 'reports.classId')
          .whereRef('other.reporter', '=', 'reports.reporter')
          .whereRef('other.target', '!=', 'reports.target')
          .where('cases.messageId', 'is not', null)
          .where(({ or, and, eb }) =>
            or([
              eb('cases.status', '!=', 'decided'),
              and([
                eb('cases.decision', '=', 'keep'),
                eb('cases.sanctionKind', 'is', null),
                eb('cases.escalates', '=', 0),
              ]),
            ]),
          ),
      '<',
      maxUnconfirmed,
    )
    .executeTakeFirstOrThrow();
  return count;
}

/** The cases that these reporters reported, each once. */
export async function listReportedCases(
  db: Database,
  classIds: readonly string[],
  reporters: readonly string[],
): Promise<
  Pick<CaseRow, 'caseId' | 'classId' | 'status' | 'decision' | 'sanctionKind' | 'escalates'>[]
> {
  if (reporters.length === 0) return [];
  return db
    .selectFrom('reports')
    .innerJoin('cases', 'cases.caseId', 'reports.caseId')
    .select(['cases.caseId', 'cases.classId', 'status', 'decision', 'sanctionKind', 'escalates'])
    .distinct()
    .where('reports.classId', 'in', classIds)
    .where('reports.reporter', 'in', reporters)
    .execute();
}

export async function listClassReports(db: Database, classId: string): Promise<ReportRow[]> {
  return db.selectFrom('reports').selectAll().where('classId', '=', classId).execute();
}

/** Replaces all reports of the class, in the order of their keys. */
export async function replaceReports(
  db: DatabaseTransaction,
  classId: string,
  rows: readonly ReportRow[],
): Promise<void> {
  await db.deleteFrom('reports').where('classId', '=', classId).execute();
  const toKey = ({ reporter, target }: ReportRow) => `${reporter} ${target}`;
  for (const row of rows.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1))) {
    await db.insertInto('reports').values(row).execute();
  }
}

export async function deleteAllReports(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('reports').execute();
}
