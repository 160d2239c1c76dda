import type { SelectQueryBuilder } from 'kysely';
import type { Database, Tables } from '#server/store/tables.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';

export type OpenPoll = Pick<MessageRow, 'classId' | 'seq' | 'id' | 'pollClosesAt' | 'pollTally'> & {
  poll: string;
};

function selectOpenPolls(db: Database): SelectQueryBuilder<Tables, 'messages', OpenPoll> {
  return db
    .selectFrom('messages')
    .select(['messages.classId', 'messages.seq', 'messages.id'])
    .select(['messages.poll', 'messages.pollClosesAt', 'messages.pollTally'])
    .where('messages.pollClosesAt', 'is not', null)
    .$narrowType<{ poll: string }>();
}

/** Lists the open polls of the class, oldest first. */
export async function listOpenPolls(db: Database, classId: string): Promise<OpenPoll[]> {
  return selectOpenPolls(db)
    .where('messages.classId', '=', classId)
    .orderBy('messages.seq')
    .execute();
}

/** Lists those of these polls of the class that are open, oldest first. */
export async function listOpenPollsById(
  db: Database,
  classId: string,
  ids: readonly string[],
): Promise<OpenPoll[]> {
  if (ids.length === 0) return [];
  return selectOpenPolls(db)
    .where('messages.classId', '=', classId)
    .where('messages.id', 'in', ids)
    .orderBy('messages.seq')
    .execute();
}

/** Lists the polls whose time is over, in all classes that are not deleted. */
export async function listDuePolls(db: Database, now: number, limit: number): Promise<OpenPoll[]> {
  return selectOpenPolls(db)
    .where('messages.pollClosesAt', '<=', now)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('classes')
          .whereRef('classes.classId', '=', 'messages.classId')
          .where('classes.status', '!=', 'deleted')
          .select('classes.classId'),
      ),
    )
    .limit(limit)
    .execute();
}

/** Lists the open polls of active classes. They may have votes that are not published. */
export async function listActivePolls(db: Database): Promise<Pick<MessageRow, 'classId' | 'id'>[]> {
  return db
    .selectFrom('messages')
    .innerJoin('classes', 'classes.classId', 'messages.classId')
    .select(['messages.classId', 'messages.id'])
    .where('messages.pollClosesAt', 'is not', null)
    .where('classes.status', '=', 'active')
    .execute();
}
