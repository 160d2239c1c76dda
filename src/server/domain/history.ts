import type { Message, Persona } from '#contract/entities.ts';
import type { Reader } from '../storage/database.ts';
import { listMessages } from '../storage/queries/messages.ts';
import { listPersonas } from '../storage/queries/personas.ts';

export interface HistoryPage {
  messages: Message[];
  /** Of those who wrote them or reacted to them. */
  personas: Persona[];
}

/** The newest `limit` messages with `seq < before`, oldest first. Who asks must be a member. */
export async function readHistory(
  db: Reader,
  classId: string,
  before: number,
  limit: number,
): Promise<HistoryPage> {
  const messages = await listMessages(db, classId, before, limit);
  return { messages, personas: await personasOf(db, classId, messages) };
}

/** Those that the messages mention, and no others. */
export async function personasOf(
  db: Reader,
  classId: string,
  messages: readonly Message[],
): Promise<Persona[]> {
  const mentioned = new Set(
    messages.flatMap(({ memberId, reactions }) => [memberId, ...Object.keys(reactions)]),
  );
  return listPersonas(db, classId, [...mentioned]);
}
