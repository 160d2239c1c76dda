// The beginning of the answer to a question, as its reader wants it.
import type { Question } from '#contract/entities.ts';
import type { Personas } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { toQuoteSummary } from './quote-summary.ts';

export type Answer = NonNullable<Question['answer']>;

interface Preferences {
  /** The memberIds of people whom the viewer ignores. */
  ignored: ReadonlySet<string>;
  /** The ids of messages that the viewer has hidden. */
  hidden: ReadonlySet<string>;
}

export const collapsedText = getText('markup.collapsed');

/** Whether the viewer ignores the author of the answer, or has hidden it. */
export function isCollapsed({ messageId, quote }: Answer, preferences: Preferences): boolean {
  return preferences.ignored.has(quote.memberId) || preferences.hidden.has(messageId);
}

/** The beginning of the answer as the viewer sees it. */
export function toAnswerText(answer: Answer, names: Personas, preferences: Preferences): string {
  return isCollapsed(answer, preferences) ? collapsedText : toQuoteSummary(answer.quote, names);
}
