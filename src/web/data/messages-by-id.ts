// Reads messages by their ids, wherever in the history they are.
import type { Message, Persona } from '#contract/entities.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { call } from '../api.ts';

interface FoundMessage {
  message: Message;
  personas: readonly Persona[];
}

/** @returns the messages that still exist, by id */
export async function fetchMessagesById(
  classId: string,
  ids: readonly string[],
): Promise<Map<string, FoundMessage>> {
  const fetchMessage = async (id: string): Promise<[string, FoundMessage][]> => {
    const query = { around: id, limit: 1 };
    const page = await call('listMessages', { params: { classId }, query }).catch(ignoreMissing);
    const message = page?.messages.find((candidate) => candidate.id === id);
    return page && message ? [[id, { message, personas: page.personas }]] : [];
  };
  return new Map((await Promise.all(ids.map(fetchMessage))).flat());
}

function ignoreMissing(error: unknown): null {
  if (error instanceof RejectedError && error.code === 'NOT_FOUND') return null;
  throw error;
}
