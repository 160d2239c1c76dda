import type { Message, Persona } from '#contract/entities.ts';
import type { Database } from '../storage/database.ts';
import { listMessages } from '../storage/queries/messages.ts';
import { listPersonas } from '../storage/queries/personas.ts';

export interface HistoryPage {
  messages: Message[];
  /** The personas of the authors and of the members who reacted. */
  personas: Persona[];
  /** Whether older messages exist. */
  hasOlder: boolean;
}

/**
 * The newest messages with `seq < before`, oldest first: at most `limit`, and as many as fit into `maxBytes`
 * of JSON with their personas, but at least one. The caller checks membership.
 */
export async function readHistory(
  db: Database,
  classId: string,
  before: number,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<HistoryPage> {
  const found = await listMessages(db, classId, before, limit + 1);
  const newest = found.slice(-limit);
  const known = new Map<string, Persona>();
  const mentioned = [...new Set(newest.flatMap(mentionedIn))];
  for (const persona of await listPersonas(db, classId, mentioned)) {
    known.set(persona.memberId, persona);
  }
  const personas = new Map<string, Persona>();
  const messages: Message[] = [];
  let bytes = 0;
  for (const message of newest.toReversed()) {
    const added = mentionedIn(message).flatMap((memberId) => {
      const persona = personas.has(memberId) ? undefined : known.get(memberId);
      return persona ? [persona] : [];
    });
    bytes += jsonBytes(message) + added.reduce((sum, persona) => sum + jsonBytes(persona), 0);
    if (bytes > maxBytes && messages.length > 0) break;
    messages.push(message);
    for (const persona of added) personas.set(persona.memberId, persona);
  }
  return {
    messages: messages.toReversed(),
    personas: [...personas.values()],
    hasOlder: messages.length < found.length,
  };
}

function mentionedIn({ memberId, reactions }: Message): string[] {
  return [memberId, ...Object.keys(reactions)];
}

/** The size of a value as JSON, including a comma. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}
