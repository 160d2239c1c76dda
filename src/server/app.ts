// The composition root: the only place that constructs the parts and connects them.
import type { Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { oldAddressMail } from './accounts/account-mails.ts';
import { createAccountSupport } from './features/account-support/account-support.ts';
import { correctAddress, deleteMailsTo } from './endings/change-address.ts';
import { alignMailboxKeys } from './accounts/align-mailbox-keys.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAuth, passwordCost } from './accounts/auth.ts';
import { createDevices } from './accounts/devices.ts';
import { createKnownBrowsers } from './accounts/known-browsers.ts';
import { createMailboxes } from './accounts/mailboxes.ts';
import { createHashingQueue } from './accounts/hashing-queue.ts';
import { createPasswords } from './accounts/passwords.ts';
import { createIdentityCheck } from './accounts/identity-check.ts';
import { createRecentSessions } from './accounts/recent-sessions.ts';
import { createSignInGuard } from './accounts/sign-in-guard.ts';
import { createSignOn } from './features/sign-on/sign-on.ts';
import { createSignUpLinks } from './accounts/sign-up-links.ts';
import { deleteUnverified, noteVerificationSetting } from './accounts/unverified-accounts.ts';
import { createUnusedAccounts } from './accounts/unused-accounts.ts';
import { backUpBeforeMigration } from './features/backups/back-up-before-migration.ts';
import { backupAgeHours, startScheduledBackups } from './features/backups/scheduled-backups.ts';
import { sqliteFileOf } from './config/config.ts';
import type { Config, OidcConfig } from './config/config-types.ts';
import { createDigestLinks } from './features/notifications/digest/digest-links.ts';
import { createProgressStore } from './features/notifications/digest/digest-progress.ts';
import { startDigests } from './features/notifications/digest/digests.ts';
import { createRecentActivity } from './features/notifications/digest/recent-activity.ts';
import { deleteAccount, type DeletedAccount } from './endings/account-deletion.ts';
import { createDecisionRunner } from './features/moderation/reports/decision-runner.ts';
import { findDigestAddress, listMissed } from './features/notifications/missed.ts';
import { sealHashesBeforeNewKeys } from './chat/staff/audit-log.ts';
import { createRoles } from './chat/staff/roles.ts';
import { createSuspendedAccounts } from './features/moderation/sanctions/suspended-accounts.ts';
import { renewNameKeys } from './chat/members/persona-name-key.ts';
import {
  recordUnmasking,
  publicSetting,
} from './features/moderation/unmasking/unmasking-setting.ts';
import { createOpenness } from './features/moderation/transparency/transparency.ts';
import { createPreferences } from './chat/members/preferences.ts';
import { createReadMarks } from './chat/members/read-marks.ts';
import { checkSchoolTheme } from './features/web-app/themes/school-theme.ts';
import { noSandbox, type FileSandbox } from './base/file-worker.ts';
import { accountExportRoute } from './endings/account-export-route.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createCallLimits } from './http/call-limits.ts';
import { classRoutes } from './features/classes/routes.ts';
import { addRequestGuards } from './http/request-guards.ts';
import { metricsRoute } from './features/health/metrics-route.ts';
import { imageSecurityHeaders, imageFiles, imageRoutes } from './pictures/routes.ts';
import {
  attachSocketServer,
  refuseMissingUpgrade,
  type SocketServer,
} from './live/socket-server.ts';
import { createDailyCounts } from './features/health/daily-counts.ts';
import { createOverview } from './features/health/overview.ts';
import { createWarnings } from './features/health/warnings.ts';
import { accountSupportRoutes } from './features/account-support/routes.ts';
import { healthRoutes } from './features/health/routes.ts';
import { announcementRoutes } from './features/announcements/routes.ts';
import { messageSearchRoutes } from './features/message-search/routes.ts';
import { classAdminRoutes } from './features/class-admin/routes.ts';
import { createOperators } from './chat/staff/operators.ts';
import { createOrigins } from './http/origins.ts';
import { classSettingsRoutes } from './features/classes/settings-routes.ts';
import {
  evidenceFiles,
  moderationRoutes,
  reportRoutes,
} from './features/moderation/reports/routes.ts';
import { interfaceErrorRoutes } from './http/interface-errors.ts';
import { opennessRoutes } from './features/moderation/transparency/routes.ts';
import { roleRoutes } from './features/roles/routes.ts';
import { signOnRoutes } from './features/sign-on/routes.ts';
import { unmaskingRoutes } from './features/moderation/unmasking/routes.ts';
import { ownSanctionRoutes, reviewRoutes } from './features/moderation/sanctions/routes.ts';
import { listPendingDecisions } from './features/moderation/reports/pending-decisions.ts';
import { allClasses } from './chat/staff/roles-queries.ts';
import { notificationRoutes } from './features/notifications/routes.ts';
import { preferenceRoutes } from './features/classes/preference-routes.ts';
import { ownAccountRoutes } from './accounts/own-account.ts';
import { handleErrors } from './http/error-handler.ts';
import { createHttpServer } from './http/http-server.ts';
import { createRoute } from './http/route.ts';
import { readLogo, schoolThemeRoutes, webFiles } from './features/web-app/web-files.ts';
import { webManifest } from './features/web-app/web-manifest.ts';
import { searchAccessRoute, searchRoutes } from './features/class-search/routes.ts';
import { createAppIcons } from './features/web-app/app-icons.ts';
import { createImages } from './pictures/images.ts';
import { openImageStore } from './pictures/open-image-store.ts';
import { createUploadSpace, listDiskFolders } from './pictures/upload-space.ts';
import { createNotifications } from './features/notifications/push/notifications.ts';
import type { DecodingTime } from './pictures/decoding-turns.ts';
import { createPictureProcessor } from './pictures/picture-processor.ts';
import { createPdfProcessor } from './pictures/pdf/pdf-processor.ts';
import { createMessageIndexer } from './features/message-search/index-messages.ts';
import { createClientAddresses } from './base/client-addresses.ts';
import { createLimiter, takeForMailbox } from './base/limiter.ts';
import type { RateName } from './base/rates.ts';
import { createSignInAttempts } from './accounts/sign-in-attempts.ts';
import type { Log } from './base/log.ts';
import { createMetrics } from './base/metrics.ts';
import { limitLabel } from './base/served-metrics.ts';
import { soleServer, type BackgroundLease } from './store/background-lease.ts';
import type { NodeParts } from './nodes/join-nodes.ts';
import { mailProblemOf } from './mail/mail-problem.ts';
import { createMailQueue, type EnqueuePublicMail } from './mail/mail-queue.ts';
import { openMailTransport, type Mail } from './mail/mail-transport.ts';
import { createThreatMails } from './features/moderation/reports/threat-mail.ts';
import { ensureServerKey, keyCheckValue, loadServerKeys } from './base/server-keys.ts';
import { createDatabaseIndex } from './features/class-search/database-index.ts';
import { readShortForms } from './features/class-search/rewrite/short-forms.ts';
import { createFollower } from './follow-commits.ts';
import { shareActivity } from './features/notifications/nodes/share-activity.ts';
import { shareNotifier } from './features/notifications/nodes/share-notifier.ts';
import { startResealing } from './endings/reseal-accounts.ts';
import { startScheduledRemovals } from './endings/scheduled-removals.ts';
import { startScheduledTermEnds } from './features/class-admin/scheduled-term-ends.ts';
import { ChangeFollower } from './follow-changes.ts';
import { createRoleNotifier } from './features/roles/notify-roles.ts';
import { createHub } from './live/hub.ts';
import { createLiveAnnouncements } from './features/announcements/live-announcements.ts';
import { createCatchUpCache } from './live/catch-up-cache.ts';
import { createCommitQueue, type CommitQueue } from './store/commit-queue.ts';
import type { Effect } from './store/unit-of-work.ts';
import type { Database, RowOrderEraser } from './store/tables.ts';
import { lockPostgres } from './store/dialects/postgres-lock.ts';
import { lockFolder } from './store/folder-lock.ts';
import { checkFirstStart } from './features/backups/missing-database.ts';
import { openDatabase } from './store/open-database.ts';
import { openAccounts } from './store/sealed-accounts.ts';
import {
  closeSearchIndexQueue,
  isSearchIndexQueueOpen,
} from './chat/classes/search-index-queue-queries.ts';
import { removeUnfinishedRestore } from './features/backups/restore.ts';
import { createReadiness } from './features/health/readiness.ts';
import { createPageScrubber, type PageScrubber } from './store/erasure/page-scrubber.ts';
import { createVacuum } from './store/erasure/vacuum.ts';
import { openSchoolThemes } from './features/web-app/themes/school-themes.ts';
import { createWalCheckpointer } from './store/erasure/wal-checkpointer.ts';
import type { UnitOfWork } from './store/unit-of-work.ts';
import { StopTogether } from './base/stop-together.ts';
import { version } from './base/version.ts';

export interface App {
  server: Server;
  /** Resolves if another server takes over the database. This server must then stop. */
  readonly databaseTaken: Promise<void>;
  /** Closes the sockets, waits for work in flight, closes the database and unlocks the data folder. */
  close(): Promise<void>;
}

/** libuv's thread pool has four threads. Image processing and file access need at least one of them. */
const maxConcurrentHashes = availableParallelism() > 2 ? 3 : 2; // AUTH-45

/** Longer queues of the database appear with this length in the metrics. */
const maxCounted = 1000;

const themesDir = fileURLToPath(new URL('../../themes', import.meta.url));

/**
 * Builds the whole server without listening.
 *
 * @param webDir the built web app, or null to serve only the API
 * @param options.sandbox of the processes that decode uploaded files
 * @param options.passwordCost of argon2id. Tests hash thousands of passwords.
 */
export async function createApp(
  config: Config,
  serverLog: Log,
  webDir: string | null,
  options: { sandbox?: Promise<FileSandbox>; passwordCost?: typeof passwordCost } = {},
): Promise<App> {
  const { sandbox = Promise.resolve(noSandbox) } = options;
  const warnings = createWarnings(serverLog);
  const { log } = warnings;
  // Released in the opposite order: by a start that fails, and by `close`.
  await using opened = new AsyncDisposableStack();
  opened.defer(lockFolder(config.dataDir));
  removeUnfinishedRestore(sqliteFileOf(config.dataDir));
  const themes = openSchoolThemes(themesDir, checkSchoolTheme, log);
  opened.defer(() => themes.stop());
  checkFirstStart(config, log);
  ensureServerKey(config);
  const keys = loadServerKeys(config.secretKey, config.dataDir);
  const { accountKeyOf, personas: personaKey, times: timesKey } = keys;
  const mailboxes = createMailboxes(config.mailboxes, keys.mailboxes);
  const mailboxKeyOf = mailboxes.keyOf;
  const store = await openImageStore(config.images, log);
  let databaseTaken: Promise<void> = new Promise(() => {});
  if (config.database.kind === 'postgres') {
    const kindOfLock = config.redisUrl === null ? 'server' : 'node';
    const lock = await lockPostgres(config.database.url, log, kindOfLock);
    opened.defer(() => lock.release());
    databaseTaken = lock.taken;
  }
  const keyCheck = keyCheckValue(keys);
  const backupKeys = { keyCheck, backupKey: keys.backups };
  if (config.database.kind === 'sqlite') openAccounts(config.database.file, backupKeys);
  await backUpBeforeMigration(config, log);
  // Closing the file of a database that is open would release its locks.
  let pageScrubber: PageScrubber | null = null;
  opened.defer(() => pageScrubber?.closeFile());
  const database = await openDatabase(config.database, keyCheck, log);
  opened.defer(() => database.close());
  const { db, commitDb, kind, epoch } = database;
  const metrics = createMetrics({ version, database: kind }, log);
  const nodes = config.redisUrl
    ? await join(config.redisUrl, { db, commitDb, keys: keys.bus, epoch, log, metrics })
    : null;
  const lease = nodes?.lease ?? soleServer;
  opened.defer(() => lease.stop());
  opened.defer(() => nodes?.stop());
  // It starts later, and erases the order of the last changes.
  let rowOrder: RowOrderEraser | null = null;
  opened.defer(() => rowOrder?.stop());
  const hub = nodes?.hub ?? createHub(metrics);
  const catchUps = createCatchUpCache(db, { isShared: nodes !== null });
  const walCheckpointer = kind === 'sqlite' ? createWalCheckpointer(db, log) : null;
  if (config.database.kind === 'sqlite') {
    pageScrubber = createPageScrubber(db, config.database.file, log);
  }
  const vacuum = kind === 'postgres' ? createVacuum(db, log) : null;
  opened.defer(async () => {
    walCheckpointer?.stop();
    await pageScrubber?.stop();
    await vacuum?.stop();
  });
  const onErased = () => {
    walCheckpointer?.schedule();
    pageScrubber?.schedule();
    vacuum?.schedule();
  };
  const search =
    config.search.kind === 'builtin'
      ? createDatabaseIndex(db, log, readShortForms(config.dataDir))
      : null;
  // The last commits of the queues change the index, too.
  opened.defer(() => search?.stop());
  const searchListener = nodes && search ? nodes.shareSearch(search) : search;
  // The parts that follow commits need the queues themselves. A change at the start can only erase content.
  let follow = (effects: readonly Effect[]): Promise<void> | undefined => {
    if (effects.some(({ kind: effect }) => effect === 'erased')) onErased();
    return undefined;
  };
  const queueOptions = {
    ...{ db: commitDb, kind, log, metrics },
    follow: (effects: readonly Effect[]) => follow(effects),
    onUnknown: () => changes.distrustAll(),
  };
  const commits = createCommitQueue(queueOptions);
  // Accounts have their own queue: rows that share a transaction could link an account to a persona. Changes of accounts
  // may also wait for seconds, until the order of their rows is erased, and messages must not.
  const accountCommits = createCommitQueue(queueOptions);
  opened.defer(async () => {
    await Promise.all([commits.drain(), accountCommits.drain()]);
  });
  const transport = openMailTransport(config, log);
  opened.defer(() => transport.stop());
  const announcements = createLiveAnnouncements(db, hub);
  opened.defer(() => announcements.stop());
  const running = opened.use(new StopTogether());
  running.defer(() => metrics.stop());
  const messageIndexer = createMessageIndexer(db, lease, log);
  running.defer(() => messageIndexer.stop());
  await renewNameKeys(db, commits);
  const unmasking = await recordUnmasking(db, commits, config.unmasking);
  // Read marks never share a transaction with messages and personas.
  const readMarks = createReadMarks({
    ...{ db, commits: accountCommits, keys: keys.readMarks },
    ...nodes?.readMarkNotices,
  });
  running.defer(() => readMarks.stop());
  const preferences = createPreferences({
    db,
    commits: accountCommits,
    keys: keys.preferences,
    isShared: nodes !== null,
  });
  running.defer(() => preferences.stop());
  const holderKeys = { ...keys.suspensions, mailboxKeyOf };
  const suspendedAccounts = await createSuspendedAccounts(db, holderKeys);
  const roles = createRoles(config.operators);
  const notifications = await createNotifications({
    ...{ config, log, db, personaKey, timesKey, hub, readMarks, preferences, roles },
    isSuspended: suspendedAccounts.isSuspendedId,
    commits: accountCommits,
    keys: keys.notifications,
    told: nodes?.notificationNotices,
    metrics,
  });
  running.defer(() => notifications.stop());
  const { choices, subscriptions, publicKey } = notifications;
  const notifier =
    (nodes &&
      shareNotifier({
        ...{ local: notifications.notifier, subscriptions, choices, notices: nodes.notices },
        isViewingHere: nodes.isViewingHere,
        onNotifierLost: nodes.onNotifierLost,
        isDoneElsewhere: nodes.isNotifyingElsewhere,
      })) ??
    notifications.notifier;
  const onLimitHit = (name: RateName) => metrics.count('limits', limitLabel(name));
  const ownLimiter = createLimiter(config.rates, undefined, onLimitHit);
  const limiter = nodes?.shareLimits(ownLimiter) ?? ownLimiter;
  const addresses = createClientAddresses(
    config.trustedProxies,
    () => log.warn('proxy.untrusted'),
    nodes ? keys.bus.addresses : undefined,
  );
  const recentSessions = createRecentSessions();
  const roleNotifier = createRoleNotifier(db, hub);
  const changes = new ChangeFollower({
    ...{ db, hub, catchUps, announcements, roles: roleNotifier, suspendedAccounts },
    ...{ recentSessions, subscriptions, choices, onErased, log },
    search: search ?? noSearchIndex,
    decisions: { schedule: () => decisions.schedule() },
    hasNodes: nodes !== null,
  });
  running.defer(() => changes.stop());
  follow = createFollower({
    ...{ hub, choices, readMarks, preferences, recentSessions, subscriptions },
    ...{ onErased, log },
    search: searchListener,
    publish(classId, items) {
      catchUps.update(classId, items);
      hub.publish(classId, items);
      messageIndexer.onLogAppended(classId, items);
      notifier.onLogAppended(classId, items);
    },
    checkChanges: () => changes.check(),
    tellNodes: () => nodes?.notices.send({ kind: 'changed' }),
    async notifyModerators(classId) {
      hub.notifyModerationChanged(await roles.staffOf(db, classId ?? allClasses));
    },
  });
  // Each kind has its own limit, so that mails which strangers cause use up no limit that the owner needs. LIMIT-51
  const createMailer =
    (mailKind: 'sign-up' | 'reset' | 'reset of a known browser' | 'sign-on'): EnqueuePublicMail =>
    async (network, mail, expiresAt, deliver) => {
      const mailbox = addresses.keyOfEmail(mailboxes.mailboxOf(mail.to));
      if (!limiter.tryTake('mails', `${mailKind} ${mailbox}`)) return;
      await mails.enqueueInTurn(network ?? mailbox, mail, expiresAt, deliver);
    };
  // Mails that anyone can cause must not use up the limit of urgent ones. MOD-67
  const enqueueUrgentMail = async (mail: Mail, expiresAt: number) => {
    const mailbox = addresses.keyOfEmail(mailboxes.mailboxOf(mail.to));
    if (!limiter.tryTake('urgentMails', mailbox)) return false;
    await mails.enqueue(mail, expiresAt);
    return true;
  };
  const auth = await createAuth({
    config,
    db,
    commits: accountCommits,
    engine: kind,
    cookieSecret: keys.cookies,
    timesKey,
    mailboxKeyOf,
    passwordCost: options.passwordCost ?? passwordCost,
    onSessionUsed: (accountId) => unusedAccounts.noteUse(accountId),
  });
  const hashingQueue = createHashingQueue(maxConcurrentHashes);
  const rules = {
    emailDomains: config.emailDomains,
    appName: config.appName,
    origin: config.publicUrl.origin,
    isVerificationRequired: config.emailVerification === 'required',
  };
  const ownActivity = createRecentActivity();
  const activity = nodes ? shareActivity(ownActivity, nodes.notices) : ownActivity;
  const missedParts = {
    ...{ db, personaKey, readMarks, preferences, choices, suspendedAccounts },
    isActive: activity.isActive,
    isViewing: hub.isViewing,
  };
  const mails = createMailQueue({
    db,
    commits: accountCommits,
    key: keys.mails,
    send: transport.send,
    isDigestWanted: async (accountId) =>
      config.digest !== null && (await findDigestAddress(missedParts, accountId)) !== null,
    lease,
    log,
    metrics,
  });
  running.defer(() => mails.stop());
  const removeAccount = async (
    { id: accountId, email, sessionId }: { id: string; email: string; sessionId?: string },
    choice: Omit<DeletedAccount, 'accountId'>,
  ) => {
    const deletion = { db, commits, personaKey, readMarks, preferences };
    const account = {
      accountId,
      ...choice,
      async onDeleted(unitOfWork: UnitOfWork) {
        await deleteMailsTo(unitOfWork.db, keys.mails, email);
        await choice.onDeleted?.(unitOfWork);
      },
    };
    await deleteAccount(deletion, account, sessionId ?? null);
    transport.deleteMailsTo(email);
  };
  const unusedAccounts = createUnusedAccounts({
    ...{ db, epoch, mails, log },
    commits: accountCommits,
    key: keys.accountUse,
    timesKey,
    months: config.unusedAccountMonths,
    isKept: async (reader, account) => (await roles.of(reader, account)).length > 0,
    // Nobody chose that the messages go, and personas that disappear together would be linked.
    deleteAccount: (account, isDue) => removeAccount(account, { keepMessages: true, isDue }),
    settings: { appName: config.appName, origin: config.publicUrl.origin },
  });
  await noteVerificationSetting({ db, commits: accountCommits }, rules.isVerificationRequired);
  await alignMailboxKeys(
    ...([db, accountCommits, config.mailboxes, mailboxes, timesKey, keyCheck] as const),
  );
  await sealHashesBeforeNewKeys(accountCommits, db, keys.personas);
  const signUpLinks = createSignUpLinks(keys.signUpLinks);
  const accounts = await createAccounts({
    auth,
    db,
    commits: accountCommits,
    hashingQueue,
    links: signUpLinks,
    timesKey,
    rules,
    mailboxKeyOf,
    checkMaySendLink: (email, networks) =>
      takeForMailbox(
        limiter,
        'signUpMails',
        addresses.keyOfEmail(mailboxes.mailboxOf(email)),
        networks,
      ),
    moveAddress: (unitOfWork, from, to) =>
      correctAddress(
        unitOfWork,
        { holderKeys, mailKey: keys.mails },
        { from, to },
        [oldAddressMail(from, config.appName, config.supportContact)],
        null,
      ),
    enqueueMail: createMailer('sign-up'),
  });
  const passwords = await createPasswords({
    auth,
    db,
    commits: accountCommits,
    hashingQueue,
    rules,
    mailboxKeyOf,
    enqueueMail: createMailer('reset'),
    enqueueMailOfKnown: createMailer('reset of a known browser'),
  });
  const devices = createDevices({
    db,
    commits: accountCommits,
    timesKey,
    readNotified: subscriptions.readSubscribed,
  });
  const origins = createOrigins(config, config.listen.port);

  const uploadSpace = createUploadSpace(db, config, log);
  const createDecodingTime = (rate: 'pictureSeconds' | 'pdfSeconds'): DecodingTime => ({
    isUsedUp: (accountId) => limiter.isExhausted(rate, accountId),
    add: (accountId, seconds) => limiter.count(rate, accountId, seconds),
  });
  const onPictureFailed = () => metrics.count('pictures', 'failed');
  const images = createImages({
    db,
    commits,
    store,
    processor: createPictureProcessor({
      log,
      sandbox,
      decodingTime: createDecodingTime('pictureSeconds'),
      onFailed: onPictureFailed,
    }),
    pdfProcessor: createPdfProcessor({
      log,
      sandbox,
      decodingTime: createDecodingTime('pdfSeconds'),
      onFailed: onPictureFailed,
    }),
    countPdf(accountId) {
      limiter.take('pdfs', accountId, 1, 'PDF_TOO_MANY');
      return () => limiter.refund('pdfs', accountId);
    },
    countBytes(accountId, bytes) {
      limiter.take('uploadKilobytes', accountId, bytes / 1000, 'TOO_MANY_BYTES');
      return () => limiter.refund('uploadKilobytes', accountId, bytes / 1000);
    },
    space: uploadSpace,
    personaKey,
    lease,
    log,
    metrics,
  });
  running.defer(() => images.stop());

  const app = new Hono();
  handleErrors(app, log, metrics.countRefusal);
  imageSecurityHeaders(app);
  const hosted = await openHosted(config.search, { db, commits, epoch, lease, log });
  running.defer(() => hosted?.stop());
  const searchHosts = hosted?.browserHosts ?? [];
  const https = config.publicUrl.protocol === 'https:';
  addRequestGuards(app, origins, https, searchHosts, themes.logoOrigins);
  const callLimits = createCallLimits(limiter, addresses);
  const callers = {
    async accountOf(cookies: string | null) {
      const account = await recentSessions.accountOf(cookies, accounts.accountOf);
      if (account) activity.note(account.id);
      return account;
    },
    isSuspended: suspendedAccounts.isSuspended,
  };
  /** For files and sockets: a suspended account gets none. */
  const activeAccounts = (from: Pick<typeof accounts, 'accountOf'>) => ({
    async accountOf(cookies: string | null) {
      const account = await from.accountOf(cookies);
      return account && suspendedAccounts.isSuspended(account) ? null : account;
    },
  });
  const route = createRoute(app, callers, callLimits);
  const signInGuard = createSignInGuard({
    attempts: createSignInAttempts(
      ...[config.rates, limiter, undefined, onLimitHit, nodes?.sharedFailures],
    ),
    limiter,
    browsers: createKnownBrowsers(https, keys.browsers),
    mailboxes,
  });
  const signOn = config.oidc
    ? await createSignOn({
        ...{ auth, db, commits: accountCommits, timesKey, accounts, https },
        provider: await openSignOnProvider(config.oidc, log),
        keys: keys.signOn,
        settings: { ...rules, label: config.oidc.label },
        mailboxKeyOf,
        enqueueMail: createMailer('sign-on'),
      })
    : null;
  const { passwordSignIn } = config;
  const requirePasswords = () => {
    if (passwordSignIn === 'off') throw new AppError('PASSWORDS_OFF');
  };
  const checkIdentity = createIdentityCheck({ passwords, signInGuard, signOn, passwordSignIn });
  signOnRoutes(route, { signOn, passwords, passwordSignIn, signInGuard });
  accountRoutes(route, {
    accounts,
    passwords,
    accountKeyOf,
    isSuspended: suspendedAccounts.isSuspended,
    limiter,
    addresses,
    mailboxes,
    signInGuard,
    requirePasswords,
    signedOutCookies: () => (signOn ? [signOn.signedOutCookie()] : []),
    async rolesOf(account) {
      await roleNotifier.noteRead(account.id);
      return (await roles.of(db, account)).map(({ classId, role }) => ({ classId, role }));
    },
  });
  ownAccountRoutes(route, {
    accounts,
    devices,
    passwords,
    signInGuard,
    checkIdentity,
    requirePasswords,
    deleteAccount: (account, keepMessages) => removeAccount(account, { keepMessages }),
  });
  accountExportRoute(route, {
    devices,
    db,
    personaKey,
    timesKey,
    preferences,
    suspendedAccounts,
    choices,
    log,
  });
  const { appName, classCreation } = config;
  const classParts = {
    ...{ db, commits, personaKey, timesKey, readMarks, preferences, roles },
    ...{ appName, classCreation },
  };
  classRoutes(route, classParts);
  const digestLinks = createDigestLinks(keys.digest.links, config.publicUrl.origin);
  notificationRoutes(route, {
    ...{ db, personaKey, choices, subscriptions, publicKey, links: digestLinks },
    digestUnavailable: config.digest ? null : config.mail.kind === 'smtp' ? 'off' : 'noMail',
  });
  preferenceRoutes(route, { db, hub, personaKey, preferences });
  const decisions = createDecisionRunner({
    listPending: () => listPendingDecisions({ db, commits, personaKey, holderKeys }),
    lease,
    log,
  });
  running.defer(() => decisions.stop());
  const threatMails = createThreatMails({
    ...{ db, commits, roles, log },
    enqueueMail: enqueueUrgentMail,
    notifyDevices: notifier.onThreatReported,
    settings: { appName: config.appName, origin: config.publicUrl.origin },
  });
  running.defer(() => threatMails.stop());
  const moderation = {
    ...{ db, commits, personaKey, roles, limiter, threatMails, suspendedAccounts },
    suspensionKeys: keys.suspensions,
    settings: { helpLine: config.helpLine, reportsToHide: config.reportsToHide },
  };
  messageSearchRoutes(route, { db, personaKey });
  classSettingsRoutes(route, { db, commits, personaKey, roles });
  reportRoutes(route, moderation);
  moderationRoutes(route, moderation);
  roleRoutes(route, { db, commits, personaKey, roles });
  interfaceErrorRoutes(route, metrics);
  opennessRoutes(route, { db, personaKey, roles, openness: createOpenness(db, unmasking) });
  unmaskingRoutes(route, {
    ...moderation,
    ...{ unmasking, checkIdentity, enqueueMail: mails.enqueue },
    settings: { appName, origin: config.publicUrl.origin },
  });
  reviewRoutes(route, moderation);
  ownSanctionRoutes(route, moderation);
  imageRoutes(route, images);
  const viewers = activeAccounts(callers);
  evidenceFiles(app, { db, roles, personaKey, accounts: viewers, callLimits, images });
  imageFiles(app, { accounts: viewers, callLimits, images });
  schoolThemeRoutes(route, themes);
  searchAccessRoute(route, hosted?.access ?? null);
  searchRoutes(route, search?.index ?? null, limiter, metrics);
  refuseMissingUpgrade(app, log);
  app.get('/healthz', (context) => context.text(`ok ${version}`));
  const listFailing = createReadiness({
    db,
    queues: [commits, accountCommits],
    folders: listDiskFolders(config),
    images: store,
  });
  app.get('/readyz', async (context) => {
    const failing = await listFailing();
    // A proxy that chooses between nodes must not take the chat away because of S3.
    const isEnough = context.req.query('pictures') === 'no';
    const isReady = failing.every((part) => part === 'pictures' && isEnough);
    const isAlone = nodes !== null && !nodes.health.isConnected();
    const ready = isAlone ? 'ready, but Redis is gone' : 'ready'; // NODE-7
    const text = failing.length > 0 ? `not ready: ${failing.join(', ')}` : ready;
    return context.text(text, isReady ? 200 : 503);
  });
  metricsRoute(app, metrics, config);
  const mailCheck = transport.check();
  mailCheck.catch((error: unknown) => {
    log.warn('mail.unreachable', mailProblemOf(error));
  });
  const isSavingFailed = () => [commits, accountCommits].some((queue) => queue.health().isFailing);
  const { backups } = config;
  const backupAge = () => backups && backupAgeHours(backups);
  const overview = createOverview({
    ...{ config, db, transport, mailCheck, store, uploadSpace, warnings },
    backupAgeHours: backupAge,
    isSavingFailed,
    countSearchWrites: async () => (await hosted?.countWaiting(maxCounted)) ?? 0,
    openSockets: metrics.openSockets,
    dailyCounts: createDailyCounts(db, keys),
  });
  running.defer(() => overview.stop());
  const addressOf = (email: string) => ({ email, mailboxKey: mailboxKeyOf(email) });
  const supportMailKey = (email: string) =>
    `support ${addresses.keyOfEmail(mailboxes.mailboxOf(email))}`;
  accountSupportRoutes(route, {
    ...{ commits: accountCommits, roles },
    deletion: {
      ...{ db, roles, addressOf, mailKey: keys.mails, deleteAccount: removeAccount },
      settings: { appName, contact: config.supportContact },
    },
    support: createAccountSupport({
      addressOf,
      mailKey: keys.mails,
      timesKey,
      links: signUpLinks,
      settings: { ...rules, contact: config.supportContact, passwordSignIn },
    }),
    checkMail(email) {
      const key = supportMailKey(email);
      limiter.take('mails', key);
      limiter.refund('mails', key);
    },
    countMail: (email) => limiter.count('mails', supportMailKey(email), 1),
  });
  const operators = createOperators(roles, commits);
  healthRoutes(route, { config, db, operators, overview });
  announcementRoutes(route, { db, operators });
  const { reopenDays } = config;
  classAdminRoutes(route, { db, commits, timesKey, operators, reopenDays });
  const icons = createAppIcons((path) => readLogo(webDir, path), sandbox, log);
  webManifest(app, themes, icons, appName);
  if (webDir) {
    const meta = {
      'application-name': config.appName,
      'email-domain': config.emailDomains.join(','),
      unmasking: publicSetting(unmasking).since ?? '',
      version,
      'source-url': config.links.source ?? '',
      'imprint-url': config.links.imprint ?? '',
      'terms-url': config.links.terms ?? '',
      'support-contact': config.supportContact ?? '',
      'sign-on': config.oidc?.label ?? '',
      'password-sign-in': passwordSignIn,
      'class-creation': config.classCreation,
      'search-application': config.search.kind === 'algolia' ? config.search.applicationId : '',
    };
    webFiles(app, webDir, meta, accounts.hasSessionCookie);
  } else {
    app.notFound(() => {
      throw new AppError('NOT_FOUND');
    });
  }

  const server = createHttpServer(app);
  const sockets = {
    hub,
    catchUps,
    db,
    commits,
    images,
    epoch,
    personaKey,
    readMarks,
    preferences,
    announcements,
    accountKeyOf,
    log,
    accounts: activeAccounts(accounts),
    origins,
    limiter,
    notifier: {
      onViewed(accountId: string, classId: string) {
        activity.note(accountId);
        notifier.onViewed(accountId, classId);
      },
      onViewEnded: notifier.onViewEnded,
      onRead(accountId: string, classId: string, seq: number) {
        activity.note(accountId);
        notifier.onRead(accountId, classId, seq);
      },
    },
    metrics,
  };
  const socketServer = attachSocketServer(server, sockets);
  opened.defer(async () => {
    socketServer.stop();
    hub.shutDown();
    await closeServer(server, socketServer);
  });
  await changes.start();
  nodes?.notices.onNotice(({ kind: notice }) => {
    if (notice === 'changed') void changes.check();
  });
  await nodes?.lease.start();
  messageIndexer.start(commits);
  const stopRemovals = startScheduledRemovals({
    ...{ db, commits, accountCommits, personaKey, lease, log },
    suspensionKeys: keys.suspensions,
    memberRowKeys: keys,
    retentionDays: config.retentionDays,
    deleteUnverified: (day, stopping) =>
      deleteUnverified({ db, commits: accountCommits, timesKey }, day, stopping),
    removeUnused: unusedAccounts.run,
  });
  running.defer(stopRemovals);
  const stopTermEnds = startScheduledTermEnds({
    ...{ db, commits, lease, log },
    ...{ termEnds: config.termEnds, reopenDays: config.reopenDays },
  });
  running.defer(stopTermEnds);
  const stopDigests = config.digest
    ? startDigests({
        ...{ db, commits: accountCommits, mails, lease, log },
        ...{ links: digestLinks, time: config.digest },
        orderKey: keys.digest.order,
        progress: createProgressStore(keys.digest.order, epoch),
        listAccounts: choices.listDigestAccounts,
        findAddress: (accountId) => findDigestAddress(missedParts, accountId),
        listMissed: (accountId) => listMissed(missedParts, accountId),
        settings: { appName, origin: config.publicUrl.origin },
      })
    : async () => {};
  running.defer(stopDigests);
  const stopResealing = startResealing({
    ...{ db, commits: accountCommits, epoch, lease, log },
    keys: {
      ...keys.notifications,
      ...{ times: timesKey, accountUse: keys.accountUse },
      ...{ personas: personaKey, memberRows: keys },
    },
  });
  running.defer(stopResealing);
  rowOrder = database.startRowOrderEraser(lease.isHeld);
  const stopBackups = backups
    ? startScheduledBackups({ config, backups, keys: backupKeys, lease, log })
    : async () => {};
  running.defer(stopBackups);
  await metrics.start({
    openSockets: () => hub.count().connections,
    backupAgeHours: () => backupAge() ?? 0,
    isSavingFailed,
    queues: {
      mail: () => mails.countWaiting(maxCounted),
      push: notifier.countWaiting,
      search_writes: async () => (await hosted?.countWaiting(maxCounted)) ?? 0,
      pictures: images.countUploads,
    },
    bus: nodes?.health ?? null,
  });

  const all = opened.move();
  return { server, databaseTaken, close: () => all.disposeAsync() };
}

/** The no-op search index of a server that uses a hosted one. */
const noSearchIndex = { removeClass() {}, async addClass() {}, async load() {} };

/** Imports the client of Redis only if there are several nodes. */
async function join(redisUrl: string, parts: Omit<NodeParts, 'redisUrl'>) {
  const { joinNodes } = await import('./nodes/join-nodes.ts');
  return joinNodes({ redisUrl, ...parts });
}

/** Imports the client of OpenID Connect only if it is configured. */
async function openSignOnProvider(oidc: OidcConfig, log: Log) {
  const { createSignOnProvider } = await import('./features/sign-on/sign-on-provider.ts');
  return createSignOnProvider(oidc, log);
}

/** Imports the client of the hosted index only if it is configured. */
async function openHosted(
  search: Config['search'],
  parts: { db: Database; commits: CommitQueue; epoch: string; lease: BackgroundLease; log: Log },
) {
  if (search.kind === 'algolia') {
    const { openHostedSearch } = await import('./features/class-search/hosted/hosted-search.ts');
    return openHostedSearch(search, parts);
  }
  const { db, commits } = parts;
  if (await isSearchIndexQueueOpen(db)) {
    await commits.write((unitOfWork) => closeSearchIndexQueue(unitOfWork.db), 'everything');
  }
  return null;
}

/** Waits up to five seconds for requests and sockets in flight, then closes them. */
async function closeServer(server: Server, socketServer: SocketServer): Promise<void> {
  const timeout = setTimeout(() => {
    socketServer.terminate();
    server.closeAllConnections();
  }, 5_000);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timeout);
}
