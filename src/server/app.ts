// The composition root: the only place that constructs the parts and connects them.
import { createServer, type Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { alignMailboxKeys } from './accounts/align-mailbox-keys.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAuth } from './accounts/auth.ts';
import { createDevices } from './accounts/devices.ts';
import { createKnownBrowsers } from './accounts/known-browsers.ts';
import { createMailboxes } from './accounts/mailboxes.ts';
import { createPasswordWork } from './accounts/password-work.ts';
import { createPasswords } from './accounts/passwords.ts';
import { createSignInGuard } from './accounts/sign-in-guard.ts';
import { createSignUpLinks } from './accounts/sign-up-links.ts';
import type { Config } from './config.ts';
import { deleteAccount } from './domain/account-deletion.ts';
import { replayToHead } from './domain/catch-up.ts';
import { renewNameKeys } from './domain/renew-name-keys.ts';
import { createReadMarks } from './domain/read-marks.ts';
import { checkSchoolTheme } from './domain/school-theme.ts';
import { startErasing } from './erase-deleted-classes.ts';
import { accountExportRoute } from './http/account-export.ts';
import { accountRoutes } from './http/accounts.ts';
import { createCallLimits } from './http/call-limits.ts';
import { classRoutes } from './http/classes.ts';
import { guard } from './http/request-guards.ts';
import { messageRoutes } from './http/messages.ts';
import { imageSecurityHeaders, imageFiles, imageRoutes } from './http/images.ts';
import { refuseMissingUpgrade } from './http/missing-upgrade.ts';
import { createOrigins } from './http/origins.ts';
import { ownAccountRoutes } from './http/own-account.ts';
import { personaRoutes } from './http/personas.ts';
import { handleErrors, answerUnreadable } from './http/error-handler.ts';
import { routeOn } from './http/route.ts';
import { schoolThemeRoutes } from './http/school-themes.ts';
import { searchAccessRoute, searchRoutes } from './http/search.ts';
import { webFiles } from './http/web-files.ts';
import { createImages } from './images/images.ts';
import { openImageStore } from './images/open-image-store.ts';
import { createPictureProcessor } from './images/picture-processor.ts';
import { createClientAddresses } from './limits/client-addresses.ts';
import { createLimiter } from './limits/limiter.ts';
import { createSignInAttempts } from './limits/sign-in-attempts.ts';
import type { Log } from './log.ts';
import { mailProblemOf } from './mail/mail-problem.ts';
import { createMailQueue, type EnqueueMail } from './mail/mail-queue.ts';
import { openTransport } from './mail/open-transport.ts';
import { ensureServerKey, keyCheckValue, loadServerKeys } from './server-keys.ts';
import { createFollowingIndex } from './search/following-index.ts';
import { readHosts } from './search/hosted/read-hosts.ts';
import { clearHostedIndexState } from './search/hosted/clear-hosted-index-state.ts';
import { pollRemovals } from './poll-removals.ts';
import { followRevocations } from './socket/follow-revocations.ts';
import { createHub } from './socket/hub.ts';
import { createRooms } from './socket/rooms.ts';
import { attachSocketServer, type SocketServer } from './socket/socket-server.ts';
import { createCommitQueue, type CommitQueue, type OnCommit } from './storage/commit-queue.ts';
import type { Database } from './storage/database.ts';
import { lockPostgres, type DatabaseLock } from './storage/dialects/postgres-lock.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { openDatabase } from './storage/open-database.ts';
import { createReadiness } from './storage/readiness.ts';
import { createPageScrubber } from './storage/page-scrubber.ts';
import { createVacuum } from './storage/vacuum.ts';
import { openSchoolThemes } from './storage/school-themes.ts';
import { createWalEraser } from './storage/wal-eraser.ts';

export interface App {
  server: Server;
  /** Resolves if another server takes over the database. This server must then stop. */
  readonly databaseTaken: Promise<void>;
  /** Closes the sockets, waits for work in flight, closes the database and unlocks the data folder. */
  close(): Promise<void>;
}

/** libuv's thread pool has four threads. Image processing and file access need at least one of them. */
const maxConcurrentHashes = availableParallelism() > 2 ? 3 : 2; // AUTH-45

const themesDir = fileURLToPath(new URL('../../themes', import.meta.url));

/**
 * Builds the whole server without listening.
 *
 * @param webDir the built web app, or null to serve only the API
 */
export async function createApp(config: Config, log: Log, webDir: string | null): Promise<App> {
  const unlockFolder = lockFolder(config.dataDir);
  let lock: DatabaseLock | null = null;
  try {
    const themes = openSchoolThemes(themesDir, checkSchoolTheme, log);
    ensureServerKey(config);
    const keys = loadServerKeys(config.secretKey, config.dataDir);
    const { accountKeyOf, personas: personaKey } = keys;
    const mailboxes = createMailboxes(config.mailboxes, keys.mailboxes);
    const mailboxKeyOf = mailboxes.keyOf;
    const store = await openImageStore(config.images, log);
    if (config.database.kind === 'postgres') lock = await lockPostgres(config.database.url, log);
    const opened = await openDatabase(config.database, keyCheckValue(keys), log);
    const { db, kind, epoch } = opened;
    const hub = createHub();
    const rooms = createRooms(db);
    const onCommit: OnCommit = (classId, items) => {
      rooms.forget(classId);
      hub.publish(classId, items);
    };
    const eraser = kind === 'sqlite' ? createWalEraser(db, log) : null;
    const scrubber =
      config.database.kind === 'sqlite' ? createPageScrubber(db, config.database.file, log) : null;
    const vacuum = kind === 'postgres' ? createVacuum(db, log) : null;
    const onErased = () => {
      eraser?.soon();
      scrubber?.soon();
      vacuum?.soon();
    };
    const search = config.search.kind === 'builtin' ? createFollowingIndex(db, log) : null;
    const publishMissed = async (reader: Database, classId: string, seq: number) => {
      const missed = await replayToHead(reader, classId, seq);
      if (!missed) return;
      rooms.forget(classId);
      hub.publishMissed(classId, missed);
    };
    const commits = createCommitQueue(db, onCommit, log, onErased, search, publishMissed);
    // Accounts have their own queue: rows that share a transaction could link an account to a persona.
    const accountCommits = createCommitQueue(db, () => {}, log, onErased);
    await renewNameKeys(db, commits);
    const transport = openTransport(config, log);
    const mails = createMailQueue({
      db,
      commits: accountCommits,
      key: keys.mails,
      send: transport.send,
      log,
    });
    const limiter = createLimiter(config.rates);
    const addresses = createClientAddresses(config.trustedProxies, () =>
      log.warn('proxy.untrusted'),
    );
    const onSessionEnded = hub.endSession;
    const onSessionsUnknown = hub.recheckSessions;
    const enqueueMail: EnqueueMail = async (mail, expiresAt, deliver) => {
      // One limit covers all kinds of mail, so combining them cannot flood a mailbox. LIMIT-23
      const mailbox = addresses.keyOfEmail(mailboxes.mailboxOf(mail.to));
      if (!limiter.tryTake('mails', mailbox)) return;
      await mails.post(mail, expiresAt, deliver);
    };
    const auth = await createAuth({
      config,
      db,
      commits: accountCommits,
      engine: kind,
      cookieSecret: keys.cookies,
      mailboxKeyOf,
      onSessionEnded,
    });
    const work = createPasswordWork(maxConcurrentHashes);
    const rules = {
      emailDomains: config.emailDomains,
      appName: config.appName,
      origin: config.publicUrl.origin,
      verify: config.emailVerification === 'required',
    };
    await alignMailboxKeys(db, accountCommits, config.mailboxes, mailboxes);
    const accounts = await createAccounts({
      auth,
      db,
      commits: accountCommits,
      work,
      links: createSignUpLinks(keys.signUpLinks),
      rules,
      mailboxKeyOf,
      maySendLink: (email, network) =>
        limiter.tryTake(
          'signUpMails',
          `${addresses.keyOfEmail(mailboxes.mailboxOf(email))} ${network}`,
        ),
      enqueueMail,
      onSessionEnded,
      log,
    });
    const passwords = await createPasswords({
      auth,
      db,
      commits: accountCommits,
      work,
      rules,
      mailboxKeyOf,
      enqueueMail,
      onSessionEnded,
      onSessionsUnknown,
    });
    const devices = createDevices({
      db,
      commits: accountCommits,
      onSessionEnded,
      onSessionsUnknown,
    });
    const origins = createOrigins(config, config.listen.port);

    const images = createImages({
      db,
      commits,
      store,
      maker: createPictureProcessor(log),
      personaKey,
      log,
    });

    const app = new Hono();
    handleErrors(app, log);
    imageSecurityHeaders(app);
    const applicationId = config.search.kind === 'algolia' ? config.search.applicationId : '';
    const searchHosts = applicationId ? readHosts(applicationId) : [];
    const https = config.publicUrl.protocol === 'https:';
    guard(app, origins, https, searchHosts, themes.logoOrigins);
    const callLimits = createCallLimits(limiter, addresses);
    const route = routeOn(app, accounts, callLimits);
    const signInGuard = createSignInGuard({
      attempts: createSignInAttempts(config.rates, limiter),
      browsers: createKnownBrowsers(https, keys.browsers),
      mailboxes,
    });
    accountRoutes(route, {
      accounts,
      passwords,
      accountKeyOf,
      limiter,
      addresses,
      mailboxes,
      signInGuard,
    });
    ownAccountRoutes(route, {
      accounts,
      devices,
      passwords,
      signInGuard,
      async deleteAccount({ id, email, sessionId }, keepMessages) {
        await mails.forget(email);
        transport.removeMailsTo?.(email);
        const parts = {
          db,
          commits,
          personaKey,
          onSessionEnded,
        };
        await deleteAccount(parts, id, { sessionId }, keepMessages);
      },
    });
    accountExportRoute(route, { devices, db, personaKey, log });
    personaRoutes(route, { db, commits, personaKey, appName: config.appName });
    classRoutes(route, { db, commits, hub });
    messageRoutes(route, db, personaKey);
    imageRoutes(route, images);
    imageFiles(app, { accounts, callLimits, images });
    schoolThemeRoutes(route, themes);
    const hosted = await openHosted(config.search, { db, commits, epoch, log });
    searchAccessRoute(route, hosted?.access ?? null);
    searchRoutes(route, search?.index ?? null, limiter);
    refuseMissingUpgrade(app, log);
    app.get('/healthz', (context) => context.text('ok'));
    const isReady = createReadiness({
      db,
      queues: [commits, accountCommits],
      folder: kind === 'sqlite' ? config.dataDir : null,
    });
    app.get('/readyz', async (context) => {
      if (!(await isReady())) throw new AppError('UNAVAILABLE');
      return context.text('ready');
    });
    if (webDir) {
      webFiles(app, webDir, {
        'application-name': config.appName,
        'email-domain': config.emailDomains.join(','),
        'search-application': applicationId,
      });
    } else {
      app.notFound(() => {
        throw new AppError('NOT_FOUND');
      });
    }

    const listener = getRequestListener(app.fetch, { errorHandler: answerUnreadable });
    // Node keeps the first of two Host headers and drops the rest. Joined headers match no allowed host.
    // HTTP-37
    const server = createServer(
      { joinDuplicateHeaders: true },
      (request, response) => void listener(request, response),
    );
    const readMarks = createReadMarks(commits);
    const sockets = {
      hub,
      rooms,
      db,
      commits,
      images,
      epoch,
      personaKey,
      readMarks,
      accountKeyOf,
      log,
      accounts,
      origins,
      limiter,
    };
    const socketServer = attachSocketServer(server, sockets);
    transport.check().catch((error: unknown) => {
      log.warn('mail.unreachable', mailProblemOf(error));
    });
    const stopFollowing = await followRevocations({
      db,
      hub,
      rooms,
      search: search ?? noSearchIndex,
      onErased,
      log,
    });
    // Loads after it follows revocations, so it misses no deletion.
    await search?.load();
    const stopErasing = startErasing(db, commits, log);
    const stopRemoving = pollRemovals({ db, commits, personaKey, log });
    const rowOrder = opened.startRowOrderEraser();

    return {
      server,
      databaseTaken: lock?.taken ?? new Promise(() => {}),
      async close() {
        themes.stop();
        socketServer.stop();
        hub.shutDown();
        await closeServer(server, socketServer);
        await stopFollowing();
        await stopErasing();
        await stopRemoving();
        await mails.stop();
        transport.stop();
        await images.stop();
        await hosted?.stop();
        await readMarks.stop();
        await Promise.all([commits.drain(), accountCommits.drain()]);
        await search?.stop();
        eraser?.stop();
        await scrubber?.stop();
        await vacuum?.stop();
        await rowOrder.stop();
        await db.destroy();
        scrubber?.closeFile();
        await lock?.release();
        unlockFolder();
      },
    };
  } catch (error) {
    await lock?.release();
    unlockFolder();
    throw error;
  }
}

/** The no-op search index of a server that uses a hosted one. */
const noSearchIndex = { classGone() {}, async classRestored() {}, async load() {} };

/** Imports the client of the hosted index only if it is configured. */
async function openHosted(
  search: Config['search'],
  parts: { db: Database; commits: CommitQueue; epoch: string; log: Log },
) {
  if (search.kind === 'algolia') {
    const { openHostedSearch } = await import('./search/hosted/hosted-search.ts');
    return openHostedSearch(search, parts);
  }
  await clearHostedIndexState(parts);
  return null;
}

/** Waits up to five seconds for requests and sockets in flight, then closes them. */
async function closeServer(server: Server, socketServer: SocketServer): Promise<void> {
  const impatient = setTimeout(() => {
    socketServer.terminate();
    server.closeAllConnections();
  }, 5_000);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(impatient);
}
