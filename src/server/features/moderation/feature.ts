// Moderation: members report, moderators decide, operators suspend and unmask, and everyone reads how often. It knows
// personas and not people (decision 44). Only unmasking finds an address: by two operators together, if the setting was
// on when the persona began to write (decision 49).
import type { Feature, Server } from '#server/feature.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import { applyDueDecisions } from './reports/due-decisions.ts';
import {
  serveEvidenceFiles,
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

interface Dependencies {
  unmasking: Unmasking;
  /** Notifies the devices of a moderator or operator. */
  notifyModerator(accountId: string, news: 'threat' | 'work'): void;
}

/** How long after its time a decision takes effect, at most. */
const decisionIntervalMs = 1_000; // MOD-15

export function createModeration(
  server: ModerationServer,
  { unmasking, notifyModerator }: Dependencies,
): Feature {
  const { config, db, commits, keys, lease, limiter, roles, suspendedAccounts, log } = server;
  const { accountRecords } = server;
  const personaKey = keys.personas;
  const mailSettings = { appName: config.appName, origin: config.publicUrl.origin };
  const threatMails = createThreatMails({
    db,
    commits,
    roles,
    log,
    enqueueMail: server.limitedMails.enqueueUrgent,
    notifyDevices: (accountId) => notifyModerator(accountId, 'threat'),
    settings: mailSettings,
  });
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
      registerTransparencyRoutes(route, {
        db,
        personaKey,
        roles,
        transparency: createTransparency(db, unmasking),
      });
      registerUnmaskingRoutes(route, {
        ...dependencies,
        accountRecords,
        unmasking,
        checkIdentity: server.checkIdentity,
        mailKey: keys.mails,
        settings: mailSettings,
      });
      serveEvidenceFiles(app, {
        db,
        roles,
        personaKey,
        accounts: server.viewers,
        callLimits: server.callLimits,
        images: server.images,
      });
    },
    start() {
      const stopDecisions = startDecisions(server);
      const stopMails = startWorkMails({
        db,
        commits,
        personaKey,
        mailKey: keys.mails,
        accountRecords,
        roles,
        lease,
        notifyDevices: (accountId) => notifyModerator(accountId, 'work'),
        settings: mailSettings,
        log,
      });
      return () => Promise.all([stopDecisions(), stopMails()]);
    },
    stop: threatMails.stop,
  };
}

function startDecisions({ db, commits, lease, log, accountRecords, keys }: ModerationServer) {
  const { toMailboxKey } = accountRecords;
  const dependencies = {
    db,
    commits,
    lease,
    log,
    accountRecords,
    personaKey: keys.personas,
    keys: { ...keys.suspensions, toMailboxKey },
  };
  return startRepeating(() => applyDueDecisions(dependencies), decisionIntervalMs);
}
