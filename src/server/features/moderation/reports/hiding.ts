// When reports hide a message until a decision. A few members must not be able to hide what they like.
import type { Database } from '#server/store/tables.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findCase } from './cases-queries.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import { countEffectiveReports } from './reports-queries.ts';
import { undoMs } from './reasons.ts';

/** Other messages that a member can have reported so that the next report counts, if no moderator agreed. */
const maxUnconfirmed = 5; // MOD-63

/**
 * Whether the reports of the case hide the message: enough members whose reports count, and no decision to keep the
 * message as it is.
 *
 * @param reportsToHide 0 for never
 */
export async function mayHide(
  db: Database,
  message: MessageRow,
  caseId: string,
  reportsToHide: number,
): Promise<boolean> {
  if (message.moderation !== null || reportsToHide === 0) return false;
  const keptCases = await db
    .selectFrom('cases')
    .select('effectiveAt')
    .where('classId', '=', message.classId)
    .where('messageId', '=', message.id)
    .where('status', '=', 'decided')
    .where('decision', '=', 'keep')
    .execute();
  if (keptCases.some((keptCase) => !wasEditedSince(message, keptCase))) return false;
  return (await countEffectiveReports(db, caseId, maxUnconfirmed)) >= reportsToHide;
}

/** Whether the case is decided, and the message changed since then. A member can always change. */
export async function wasDecidedBeforeEdit(
  db: Database,
  caseId: string,
  message: MessageRow | null,
): Promise<boolean> {
  const foundCase = await findCase(db, caseId);
  if (!foundCase) return true;
  return foundCase.status === 'decided' && (message === null || wasEditedSince(message, foundCase));
}

/** The moderator saw the message before the time to undo. */
function wasEditedSince(
  { editedAt }: MessageRow,
  { effectiveAt }: Pick<CaseRow, 'effectiveAt'>,
): boolean {
  return (editedAt ?? 0) >= (effectiveAt ?? 0) - undoMs;
}
