// Why members report. It is apart from the schemas, so that the browser needs no validator.
export const reportReasons = [
  'threat',
  'self-harm',
  'harassment',
  'private-information',
  'cheating',
  'spam',
  'other',
] as const;
export type ReportReason = (typeof reportReasons)[number];

/** Tells whether operators learn of the report immediately, and whether it shows the help line. */
export const isUrgentReason = (reason: ReportReason): boolean =>
  reason === 'threat' || reason === 'self-harm';
