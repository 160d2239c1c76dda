import { toFailureReason } from '#server/base/startup-failure.ts';

export interface Finding {
  /** If it is not the name of the check. */
  part?: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found, and what to do if the state is not ok. The text contains no secret. */
  text: string;
}

export type Findings = Finding | Finding[];
export type Check = () => Promise<Findings>;

export const createSuccess = (text: string): Finding => ({ state: 'ok', text });
export const createWarning = (text: string): Finding => ({ state: 'warning', text });
export const createProblem = (text: string): Finding => ({ state: 'problem', text });

/** Runs a check. If the check throws an error, the error is a problem that it found. */
export async function runCheck(part: string, check: Check): Promise<Required<Finding>[]> {
  const findings = await check().catch((error: unknown) => createProblem(toFailureReason(error)));
  return [findings].flat().map((finding) => ({ part, ...finding }));
}
