// The quotes of unsent replies. The server makes the final quote when it commits the message.
import { defaultName } from '#contract/default-name.ts';
import type { Message } from '#contract/entities.ts';
import { toLocalQuote } from '#contract/quote-text.ts';
import { toImageCounts } from '#contract/pdf.ts';
import type { LogReplica } from '#web/sync/engine/log-replica.ts';
import type { OutboxEntry } from './outbox-storage.ts';

type Quote = NonNullable<Message['quote']>;
type Reply = Pick<OutboxEntry, 'id' | 'replyTo'>;

export interface UnsentQuotes {
  /** Stores the quote now, because the replica may forget the quoted message later. */
  add(reply: Reply): void;
  /** Null: the message is no reply, or the replica never held the quoted message. */
  find(reply: Reply): Quote | null;
  clear(): void;
}

export function createUnsentQuotes(replica: () => LogReplica | null): UnsentQuotes {
  const quotes = new Map<string, Quote | null>();

  /** Quotes a message that the replica holds. */
  function create(id: string | null): Quote | null {
    const log = replica();
    if (!log || id === null) return null;
    const runs = [log.window?.messages ?? [], log.messages];
    const source = runs.flatMap((run) => run.find((message) => message.id === id) ?? [])[0];
    if (!source || source.moderation === 'removed') return null;
    const { memberId, text, images, moderation } = source;
    const { anonymousName = defaultName, staff: badge } = log.personas.get(memberId) ?? {};
    const author = { memberId, anonymousName, ...(badge && { staff: badge }) };
    const start = { ...author, text: toLocalQuote(text), ...toImageCounts(images) };
    return moderation ? { ...start, hidden: true } : start;
  }

  return {
    add: ({ id, replyTo }) => void quotes.set(id, create(replyTo)),
    find({ id, replyTo }) {
      const knownQuote = quotes.get(id);
      if (knownQuote !== undefined) return knownQuote;
      const quote = create(replyTo);
      if (quote) quotes.set(id, quote);
      return quote;
    },
    clear: () => quotes.clear(),
  };
}
