// Moderation: members and people without an account report, moderators decide, operators suspend and unmask, and everyone reads how
// often. Of members, it knows personas and not people (decision 44). Only unmasking finds the address of a persona: by two
// operators together, if the setting was on when the persona began to write (decision 49). A report from outside has the address
// that its author gave for the answer, encrypted.
import type { Feature, Server } from '#server/feature.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import { registerOutsideReportRoutes } from './outside/routes.ts';
import { applyDueDecisions } from './reports/due-decisions.ts';
import { serveEvidenceFiles } from './reports/evidence-files.ts';
import {
  registerHistoryRoutes,
  registerModerationRoutes,
  registerReportRoutes,
} from './reports/routes.ts';
import { startWorkMails } from './work/work-mails.ts';
import { createThreatMails } from './reports/threat-mail.ts';
import { registerOwnSanctionRoutes, reviewRoutes } from './sanctions/routes.ts';
import { registerTransparencyRoutes } from './transparency/routes.ts';
import { createTransparency } from './transparency/transparency.ts';
import { registerUnmaskingRoutes } from './unmasking/routes.ts';
import type { Unmasking } from './unmasking/unmasking-setting.ts';

type ModerationServer = Pick<
  Server,
  | 'config'
  | 'db'
  | 'commits'
  | 'site'
  | 'accountRecords'
  | 'lease'
  | 'limiter'
  | 'addresses'
  | 'mailboxes'
  | 'memberships'
  | 'suspendedAccounts'
  | 'limitedMails'
  | 'checkIdentity'
  | 'callLimits'
  | 'viewers'
  | 'images'
  | 'log'
>;

/** How long after its time a decision takes effect, at most. */
const decisionIntervalMs = 1_000; // MOD-15

/** @param notifyModerator notifies the devices of a moderator or operator */
export function createModeration(
  server: ModerationServer,
  unmasking: Unmasking,
  notifyModerator: (accountId: string, news: 'threat' | 'work') => void,
): Feature {
  const threatMails = createThreatMails(server, (accountId) =>
    notifyModerator(accountId, 'threat'),
  );
  return {
    routes(route, app) {
      registerReportRoutes(route, server, threatMails);
      registerOutsideReportRoutes(route, server);
      registerModerationRoutes(route, server);
      registerHistoryRoutes(route, server);
      reviewRoutes(route, server);
      registerOwnSanctionRoutes(route, server);
      registerTransparencyRoutes(route, server, createTransparency(server.db, unmasking));
      registerUnmaskingRoutes(route, { ...server, unmasking });
      serveEvidenceFiles(app, server);
    },
    start() {
      const stopDecisions = startRepeating(() => applyDueDecisions(server), decisionIntervalMs);
      const stopMails = startWorkMails(server, (accountId) => notifyModerator(accountId, 'work'));
      return () => Promise.all([stopDecisions(), stopMails()]);
    },
    stop: threatMails.stop,
  };
}
