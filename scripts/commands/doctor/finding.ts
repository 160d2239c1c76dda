import { toFailureReason } from '#server/base/startup-failure.ts';

export interface Finding {
  part: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found and, unless it is ok, what to do. It quotes no secret. */
  text: string;
}

export type Check = () => Promise<Finding[]>;

export const ok = (part: string, text: string): Finding => ({ part, state: 'ok', text });
export const warning = (part: string, text: string): Finding => ({ part, state: 'warning', text });
export const problem = (part: string, text: string): Finding => ({ part, state: 'problem', text });

/** A check that throws has found a problem. */
export async function runCheck(part: string, check: Check): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [problem(part, toFailureReason(error))];
  }
}
