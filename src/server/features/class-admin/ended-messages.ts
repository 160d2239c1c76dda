// Deletes the messages of classes that ended long ago, with their pictures and reactions, as their authors would.
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  splitIntoChunks,
  findHead,
  listSpans,
} from '#server/chat/messages/authored-content-queries.ts';
import { clearEndedDay, listClassesEndedBy } from '#server/chat/classes/classes-queries.ts';
import { listMessagesBetween } from '#server/chat/messages/messages-queries.ts';
import { removeMessage } from '#server/chat/messages/messages.ts';

/** Messages per commit: small, so that other writes do not wait long. */
const messagesPerCommit = 20;

/**
 * Deletes all messages of these classes, and changes no row of an account. An interrupted run continues the next time.
 *
 * @param lastDay classes that ended on this day or earlier lose their messages
 * @param stopping stops between two commits
 */
export async function removeMessagesOfEnded(
  db: Database,
  commits: CommitQueue,
  lastDay: number,
  stopping: StopSign,
): Promise<void> {
  for (const classId of await listClassesEndedBy(db, lastDay)) {
    for await (const { from, to } of listSpans(await findHead(db, classId))) {
      const messages = await listMessagesBetween(db, classId, from, to);
      const allIds = messages.map(({ id }) => id);
      for await (const ids of splitIntoChunks(allIds, messagesPerCommit)) {
        if (stopping.aborted) return;
        await commits.write(
          async (unitOfWork) => {
            for (const id of ids) await removeMessage(unitOfWork, { classId, id });
          },
          { classId },
        );
      }
    }
    await commits.write((unitOfWork) => clearEndedDay(unitOfWork.db, classId, lastDay), {
      classId,
    });
  }
}
