// The content of a reported message. It stays until 30 days after the decision, even if the author edits or deletes the message.
import type { KeyObject } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { parseSentImages, type SentImage } from '#server/chat/attachments/attachment-queries.ts';
import { findUndecidedCase, updateCase, type CaseRow } from './evidence-queries.ts';
import type { MessageRow, StoredPoll } from './messages-queries.ts';

export interface StoredEvidence {
  text: string;
  /** The options of a poll. */
  options?: string[];
  images: SentImage[];
  createdAt: number;
  edits: EvidenceEdit[];
}

interface EvidenceEdit {
  text: string;
  editedAt: number;
  /** Set if the message was reported while this was its text. */
  wasReported?: true;
}

/** Hides the exact length of a deleted message. */
const paddedBytes = 256;

export function toEvidence({ text, poll, images, createdAt }: MessageRow): StoredEvidence {
  const content = { text, images: parseSentImages(images), createdAt, edits: [] };
  if (poll === null) return content;
  return { ...content, options: (JSON.parse(poll) as StoredPoll).options };
}

export function sealEvidence(key: KeyObject, caseId: string, evidence: StoredEvidence): string {
  return seal(key, JSON.stringify(evidence), { padTo: paddedBytes, context: `case ${caseId}` });
}

export function decryptEvidence(
  key: KeyObject,
  { caseId, evidence }: Pick<CaseRow, 'caseId' | 'evidence'>,
): StoredEvidence | null {
  if (evidence === null) return null;
  return JSON.parse(unseal(key, evidence, `case ${caseId}`)) as StoredEvidence;
}

/** Adds the new text of a reported message to its case, if the case is undecided or its decision can still be undone. */
export async function addEdit(
  db: DatabaseTransaction,
  key: KeyObject,
  { classId, id, memberId }: Pick<MessageRow, 'classId' | 'id' | 'memberId'>,
  edit: StoredEvidence['edits'][number],
): Promise<boolean> {
  const undecidedCase = await findUndecidedCase(db, { classId, memberId, messageId: id });
  const evidence = undecidedCase && decryptEvidence(key, undecidedCase);
  if (!undecidedCase || !evidence) return false;
  const { caseId, version } = undecidedCase;
  const edits = removeOldEdits([...evidence.edits, edit]);
  const sealed = sealEvidence(key, caseId, { ...evidence, edits });
  await updateCase(db, caseId, { evidence: sealed, version: version + 1 });
  return true;
}

/**
 * Removes an edit if there are too many, so that edits do not fill the database. It removes the oldest unreported edit. If only
 * the newest edit is unreported, it removes the oldest one.
 */
function removeOldEdits(edits: EvidenceEdit[]): EvidenceEdit[] {
  if (edits.length <= limits.evidenceEdits) return edits;
  const unreportedIndex = edits.findIndex(({ wasReported }) => !wasReported);
  return edits.toSpliced(unreportedIndex === edits.length - 1 ? 0 : unreportedIndex, 1);
}
