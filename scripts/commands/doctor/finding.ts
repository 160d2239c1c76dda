import { toFailureReason } from '#server/base/startup-failure.ts';

export interface Finding {
  part: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found and, unless it is ok, what to do. It quotes no secret. */
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

/** A check that throws has found a problem. */
export async function runCheck(part: string, check: Check): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [createProblem(part, toFailureReason(error))];
  }
}
