// What decisions have in common: a reason, and the time in which they can be undone.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPlainText } from '#contract/text.ts';

export const undoMs = 10_000; // MOD-15

/**
 * The sanctioned member sees the reason.
 *
 * @throws {AppError} REASON_MISSING, REASON_TOO_LONG, INVALID
 */
export function parseReason(typedReason: string): string {
  const reason = typedReason.trim();
  if (reason === '') throw new AppError('REASON_MISSING');
  if (Array.from(reason).length > limits.decisionReason) throw new AppError('REASON_TOO_LONG');
  if (!isPlainText(reason)) {
    throw new AppError('REASON_CHARACTERS');
  }
  return reason;
}
