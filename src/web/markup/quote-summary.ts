import type { Quote } from '#contract/entities.ts';
import type { Personas } from '#contract/persona-name.ts';
import { countImages, moderationTexts } from '#web/format.ts';
import { toPlainText } from './message-markup.ts';

/** The beginning of a quoted message in one line, with its files. */
export function toQuoteSummary(quote: Quote, names: Personas): string {
  if (quote.hidden) return moderationTexts.hidden;
  return [toPlainText(quote.text, names), countImages(quote)].filter(Boolean).join(' · ');
}
