// Parts of calls that several features share.
import { z } from 'zod';
import { parseTypedEmail } from './email-address.ts';
import { randomId } from './entities.ts';
import { limits } from './limits.ts';
import { isPlainLine } from './text.ts';

export const createLineSchema = (name: string, max: number) =>
  z
    .string(`${name} must be text.`)
    .max(max, `${name} can have at most ${max} characters.`)
    .refine(isPlainLine, `${name} contains a character that is not allowed.`);

/** An address as a person types or pastes it. */
export const email = z
  .string('Email must be text.')
  .overwrite(parseTypedEmail)
  .max(limits.email, `Email can have at most ${limits.email} characters.`)
  .min(1, 'Email is required.')
  .refine(isPlainLine, 'Email contains a character that is not allowed.');

export const password = z
  .string('Password must be text.')
  .min(1, 'Password is required.')
  .max(1000, 'Password is too long.')
  .refine(isPlainLine, 'Password contains a character that is not allowed.');

/** Empty if a sign-in through the university's provider confirms the call. */
export const passwordIfAny = z
  .string('Password must be text.')
  .max(1000, 'Password is too long.')
  .refine(isPlainLine, 'Password contains a character that is not allowed.');

export const token = createLineSchema('The link', 1000).min(1, 'The link is incomplete.');

export const emptySchema = z.strictObject({});
export const classParams = z.strictObject({ classId: randomId });
export const caseParams = z.strictObject({ caseId: randomId });
/** Such as 2026-11-24. */
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
