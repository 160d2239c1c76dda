// The beginning of a quoted message, and of the answer to a question, in one line.
import type { Question, Quote } from '#contract/entities.ts';
import type { Names } from '#contract/mentions.ts';
import { countImages, moderationTexts } from '#web/format.ts';
import { toPlainText } from './message-markup.ts';

export type Answer = NonNullable<Question['answer']>;

interface Preferences {
  /** The memberIds of people whom the viewer ignores. */
  ignored: ReadonlySet<string>;
  /** The ids of messages that the viewer has hidden. */
  hidden: ReadonlySet<string>;
}

export const collapsedText = 'A collapsed message';

export function toQuoteSummary(quote: Quote, names: Names): string {
  if (quote.hidden) return moderationTexts.hidden;
  return [toPlainText(quote.text, names), countImages(quote)].filter(Boolean).join(' · ');
}

/** Whether the viewer ignores the author of the answer, or has hidden it. */
export function isCollapsed({ messageId, quote }: Answer, preferences: Preferences): boolean {
  return preferences.ignored.has(quote.memberId) || preferences.hidden.has(messageId);
}

/** The beginning of the answer as the viewer sees it. */
export function toAnswerText(answer: Answer, names: Names, preferences: Preferences): string {
  return isCollapsed(answer, preferences) ? collapsedText : toQuoteSummary(answer.quote, names);
}
