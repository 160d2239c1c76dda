import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { listLanguages } from '#server/base/catalogues.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { sealMail } from '#server/mail/mail-seal.ts';
import { createDecisionMail } from './outside-report-mails.ts';

test.each(listLanguages())(
  'The longest decision in %s fits into a queued mail [OUT-5]',
  (language) => {
    const mail = createDecisionMail(
      { contactAddress: `a@${'b'.repeat(240)}.example`, language },
      { decision: 'notActed', reason: '長'.repeat(limits.decisionReason) },
      { appName: '長'.repeat(40), supportContact: `https://${'a'.repeat(100)}.example` },
    );
    const queuedMail = { ...mail, deliver: true, attempts: 99, expiresAt: Date.now() };

    expect(() => sealMail(deriveServerKeys('secret').mails, 'id', queuedMail)).not.toThrow();
  },
);
