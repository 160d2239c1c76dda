// Moderation: members report, moderators decide, operators suspend and unmask, and everyone reads how often. It knows
// personas and not people (decision 44). Only unmasking finds an address: by two operators together, if the setting was
// on when the persona began to write (decision 49).
import type { Feature, Server } from '#server/feature.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
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
  | 'keys'
  | 'accountRecords'
  | 'lease'
  | 'limiter'
  | 'memberships'
  | 'roles'
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
  const { config, db, keys, limiter, roles, suspendedAccounts } = server;
  const { accountRecords } = server;
  const personaKey = keys.personas;
  const mailSettings = { appName: config.appName, origin: config.publicUrl.origin };
  const threatMails = createThreatMails(server, (accountId) =>
    notifyModerator(accountId, 'threat'),
  );
  const dependencies = {
    db,
    personaKey,
    roles,
    limiter,
    threatMails,
    suspendedAccounts,
    suspensionKeys: keys.suspensions,
    settings: { helpLine: config.helpLine, reportsToHide: config.reportsToHide },
  };
  return {
    routes(route, app) {
      registerReportRoutes(route, dependencies);
      registerModerationRoutes(route, dependencies);
      registerHistoryRoutes(route, dependencies);
      reviewRoutes(route, dependencies);
      registerOwnSanctionRoutes(route, { ...dependencies, memberships: server.memberships });
      registerTransparencyRoutes(route, server, createTransparency(db, unmasking));
      registerUnmaskingRoutes(route, {
        ...dependencies,
        accountRecords,
        unmasking,
        checkIdentity: server.checkIdentity,
        mailKey: keys.mails,
        settings: mailSettings,
      });
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
