import { toFailureReason } from '#server/base/startup-failure.ts';

export interface Finding {
  part: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found, and what to do if the state is not ok. The text contains no secret. */
  text: string;
}

export type Check = () => Promise<Finding[]>;

export const createSuccess = (part: string, text: string): Finding => ({ part, state: 'ok', text });
export const createWarning = (part: string, text: string): Finding => ({
  part,
  state: 'warning',
  text,
});
export const createProblem = (part: string, text: string): Finding => ({
  part,
  state: 'problem',
  text,
});

/** Runs a check. If the check throws an error, the error is a problem that it found. */
export async function runCheck(part: string, check: Check): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [createProblem(part, toFailureReason(error))];
  }
}
