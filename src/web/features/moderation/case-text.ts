import type { Persona } from '#contract/entities.ts';
import type { Case } from '#contract/moderation.ts';
import { type ReportReason, reportReasons } from '#contract/report-reasons.ts';
import { describeImages } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';

const maxExcerptLength = 200;

/** The readable text that was reported, with what its spoilers hide. A text of nothing but marks is as it was typed, and a message without text is named after its files. */
export function toEvidenceExcerpt(evidence: Case['evidence']): string {
  if (!evidence) return getText('moderation.textGone');
  const text = toPlainText(evidence.text.replaceAll('||', ''), toNames(evidence.personas)).trim();
  return (text || evidence.text.trim() || describeImages(evidence.images)).slice(
    0,
    maxExcerptLength,
  );
}

export function toNames(personas: readonly Persona[]): ReadonlyMap<string, Persona> {
  return new Map(personas.map((persona) => [persona.memberId, persona]));
}

/** How many reports have each reason, in the order of the list of reasons. */
export function countReasons(reports: Case['reports']): [ReportReason, number][] {
  return reportReasons.flatMap((reason): [ReportReason, number][] => {
    const count = reports.filter((report) => report.reason === reason).length;
    return count > 0 ? [[reason, count]] : [];
  });
}
