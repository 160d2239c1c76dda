// Reports from outside: anyone can report what someone wrote, without an account. Operators decide, and answer by mail.
import { z } from 'zod';
import { createLineSchema, day, email, emptySchema } from './call-fields.ts';
import { isInternetAddress } from './email-address.ts';
import { randomId } from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';
import { isBlank, isPlainText } from './text.ts';

const isNotBlank = (text: string) => !isBlank(text);

export const outsideReportBody = z.strictObject({
  what: z
    .string('The report must be text.')
    .max(limits.outsideReport, `The report can have at most ${limits.outsideReport} characters.`)
    .refine(isPlainText, 'TEXT_CHARACTERS' satisfies ErrorReason)
    .refine(isNotBlank, 'Please say what is wrong.'),
  /** A link, a class or words. No one looks it up. */
  place: createLineSchema('The place', limits.outsidePlace).refine(
    isNotBlank,
    'Please say where it is.',
  ),
  contactAddress: email.refine(isInternetAddress, 'Please enter a whole email address.'),
});
export type OutsideReportBody = z.infer<typeof outsideReportBody>;

/** No mail tells of spam, which may name the address of someone else. */
const decision = z.enum(['acted', 'notActed', 'spam']);

const outsideReportSchema = outsideReportBody.extend({
  reportId: randomId,
  reportedDay: day,
  /** Null while it waits, like the next two. */
  decision: decision.nullable(),
  reason: z.string().nullable(),
  decidedBy: z.string().nullable(),
});
export type OutsideReport = z.infer<typeof outsideReportSchema>;

export const outsideDecisionBody = z.strictObject({
  decision,
  /** Empty for spam. Code units, so that the mail with it has the size of every mail. */
  reason: z
    .string('A reason must be text.')
    .max(limits.decisionReason, `A reason can have at most ${limits.decisionReason} characters.`),
});
export type OutsideDecisionBody = z.infer<typeof outsideDecisionBody>;

export const outsideReportCalls = {
  reportFromOutside: {
    route: 'POST /api/outside-reports',
    who: 'anyone',
    limit: 'outsideReports',
    body: outsideReportBody,
    reply: emptySchema,
  },
  listOutsideReports: {
    route: 'GET /api/moderation/outside-reports',
    who: 'operator',
    reply: z.strictObject({
      /** Those that wait come first, the oldest of them first, then the newest decisions. */
      outsideReports: z.array(outsideReportSchema).max(2 * limits.listedOutsideReports),
    }),
  },
  decideOutsideReport: {
    route: 'POST /api/moderation/outside-reports/:reportId/decision',
    who: 'operator',
    params: z.strictObject({ reportId: randomId }),
    body: outsideDecisionBody,
    reply: emptySchema,
  },
} as const;
