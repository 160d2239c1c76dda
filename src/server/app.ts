// The composition root: the only place that constructs the parts and hands them to each other.
import { createServer, type Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Refusal } from '#contract/errors.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAuth } from './accounts/auth.ts';
import { createDevices } from './accounts/devices.ts';
import { createPasswordWork } from './accounts/password-work.ts';
import { createPasswords } from './accounts/passwords.ts';
import type { Config } from './config.ts';
import { deleteAccount } from './domain/account-deletion.ts';
import { createReadMarks } from './domain/read-marks.ts';
import { checkSchoolTheme } from './domain/school-theme.ts';
import { accountExportRoute } from './http/account-export.ts';
import { accountRoutes } from './http/accounts.ts';
import { createCallLimits } from './http/call-limits.ts';
import { classRoutes } from './http/classes.ts';
import { guard } from './http/guards.ts';
import { messageRoutes } from './http/messages.ts';
import { disarmImages, imageFiles, imageRoutes } from './http/images.ts';
import { createOrigins } from './http/origins.ts';
import { ownAccountRoutes } from './http/own-account.ts';
import { personaRoutes } from './http/personas.ts';
import { answerRefusals } from './http/refusals.ts';
import { routeOn } from './http/route.ts';
import { schoolThemeRoutes } from './http/school-themes.ts';
import { searchAccessRoute, searchRoutes } from './http/search.ts';
import { webFiles } from './http/web-files.ts';
import { createImages } from './images/images.ts';
import { openImageStore } from './images/open-image-store.ts';
import { createPictureMaker } from './images/picture-maker.ts';
import { createClientAddresses } from './limits/client-addresses.ts';
import { createLimiter } from './limits/limiter.ts';
import { createSignInAttempts } from './limits/sign-in-attempts.ts';
import type { Log } from './log.ts';
import { folderMail } from './mail/folder.ts';
import type { Mail } from './mail/mail.ts';
import { createOutgoingMails } from './mail/outgoing-mails.ts';
import { smtpMail } from './mail/smtp.ts';
import { keyCheckValue, loadServerKeys } from './server-keys.ts';
import { createFollowingIndex } from './search/following-index.ts';
import { readHosts } from './search/hosted/read-hosts.ts';
import { stopTellingIndex } from './search/hosted/stop-telling-index.ts';
import { followRevocations } from './socket/follow-revocations.ts';
import { createHub } from './socket/hub.ts';
import { createRooms } from './socket/rooms.ts';
import { attachSocketServer, type SocketServer } from './socket/socket-server.ts';
import { createCommitQueue, type CommitQueue } from './storage/commit-queue.ts';
import type { Reader } from './storage/database.ts';
import { lockPostgres, type DatabaseLock } from './storage/dialects/postgres-lock.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { openDatabase } from './storage/open-database.ts';
import { openSchoolThemes } from './storage/school-themes.ts';
import { createWalEraser } from './storage/wal-eraser.ts';

export interface App {
  server: Server;
  /** Resolves when another server took the database: this one must stop. */
  readonly databaseTaken: Promise<void>;
  /** Ends sockets, waits for what is in flight, closes the database and lets go of the folder. */
  close(): Promise<void>;
}

/** The thread pool has four threads, and pictures and files want some of them. */
const hashesAtOnce = availableParallelism() > 2 ? 3 : 2; // AUTH-45

const themesDir = fileURLToPath(new URL('../../themes', import.meta.url));

/**
 * Builds the whole server without listening.
 *
 * @param webDir the built browser app, or null to serve calls alone
 */
export async function createApp(config: Config, log: Log, webDir: string | null): Promise<App> {
  const unlockFolder = lockFolder(config.dataDir);
  let lock: DatabaseLock | null = null;
  try {
    const themes = openSchoolThemes(themesDir, checkSchoolTheme, log);
    const keys = loadServerKeys(config.secretKey, config.dataDir);
    const { accountKeyOf, personas: personaKey } = keys;
    const store = await openImageStore(config.images, log);
    if (config.database.kind === 'postgres') lock = await lockPostgres(config.database.url, log);
    const opened = await openDatabase(config.database, keyCheckValue(keys), log);
    const { db, kind, epoch } = opened;
    const hub = createHub();
    const eraser = kind === 'sqlite' ? createWalEraser(db, log) : null;
    const search = config.search.kind === 'builtin' ? createFollowingIndex(db, log) : null;
    const commits = createCommitQueue(db, hub.publish, log, eraser?.soon, search);
    const { mail } = config;
    const mails = createOutgoingMails(
      mail.kind === 'smtp' ? smtpMail(mail.url, mail.from) : folderMail(mail.dir, mail.from, log),
      log,
    );
    const limiter = createLimiter(config.rates);
    const addresses = createClientAddresses(config.trustedProxies, () =>
      log.warn('proxy.untrusted'),
    );
    const onSessionEnded = hub.endSession;
    const postMail = (letter: Mail) => {
      // Nobody's letter box is filled by asking for mails in many ways. LIMIT-23
      if (limiter.tryTake('mails', addresses.keyOfEmail(letter.to))) mails.post(letter);
    };
    const auth = await createAuth({
      config,
      db,
      engine: kind,
      cookieSecret: keys.cookies,
      postMail,
      onSessionEnded,
    });
    const work = createPasswordWork(hashesAtOnce);
    const rules = {
      emailDomain: config.emailDomain,
      appName: config.appName,
      origin: config.publicUrl.origin,
      verify: config.emailVerification === 'required',
    };
    const accounts = await createAccounts({ auth, db, work, rules, log });
    const passwords = await createPasswords({
      auth,
      commits,
      work,
      rules,
      postMail,
      onSessionEnded,
    });
    const devices = createDevices({ db, commits, onSessionEnded });
    const origins = createOrigins(config, config.listen.port);

    const images = createImages({
      db,
      commits,
      store,
      maker: createPictureMaker(log),
      personaKey,
      log,
    });

    const app = new Hono();
    answerRefusals(app, log);
    disarmImages(app);
    const applicationId = config.search.kind === 'algolia' ? config.search.applicationId : '';
    const askedAt = applicationId ? readHosts(applicationId) : [];
    guard(app, origins, config.publicUrl.protocol === 'https:', askedAt);
    const route = routeOn(app, accounts, createCallLimits(limiter, addresses));
    const signInAttempts = createSignInAttempts(config.rates, limiter);
    const beginAttempt = (email: string) => signInAttempts.begin(addresses.keyOfEmail(email));
    accountRoutes(route, {
      accounts,
      passwords,
      accountKeyOf,
      limiter,
      addresses,
      beginAttempt,
    });
    ownAccountRoutes(route, {
      accounts,
      devices,
      passwords,
      beginAttempt,
      deleteAccount: (accountId, sessionId, keepMessages) =>
        deleteAccount(
          { db, commits, personaKey, onSessionEnded },
          accountId,
          { sessionId },
          keepMessages,
        ),
    });
    accountExportRoute(route, { devices, db, personaKey, log });
    personaRoutes(route, { db, commits, personaKey, appName: config.appName });
    classRoutes(route, { db, commits, hub });
    messageRoutes(route, db, personaKey);
    imageRoutes(route, images);
    imageFiles(app, accounts, images);
    schoolThemeRoutes(route, themes);
    const hosted = await openHosted(config.search, { db, commits, epoch, log });
    searchAccessRoute(route, hosted?.access ?? null);
    searchRoutes(route, search?.index ?? null, limiter);
    app.get('/healthz', (context) => context.text('ok'));
    app.get('/readyz', async (context) => {
      await db.selectFrom('facts').select('name').limit(1).execute();
      return context.text('ready');
    });
    if (webDir) {
      webFiles(app, webDir, {
        'application-name': config.appName,
        'email-domain': config.emailDomain,
        'search-application': applicationId,
      });
    } else {
      app.notFound(() => {
        throw new Refusal('NOT_FOUND');
      });
    }

    const listener = getRequestListener(app.fetch);
    const server = createServer((request, response) => void listener(request, response));
    const rooms = createRooms(db);
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
    const stopFollowing = await followRevocations({ db, hub, search: search ?? notSearched, log });
    // After that, so that no deletion falls between.
    await search?.load();
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
        await images.stop();
        await hosted?.stop();
        await readMarks.stop();
        await commits.drain();
        await search?.stop();
        await mails.drain();
        eraser?.stop();
        await rowOrder.stop();
        await db.destroy();
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

/** What a server with a hosted index has in the place of its own. */
const notSearched = { classGone() {}, async load() {} };

/** The client of a hosted index is loaded where there is one. */
async function openHosted(
  search: Config['search'],
  parts: { db: Reader; commits: CommitQueue; epoch: string; log: Log },
) {
  if (search.kind === 'algolia') {
    const { openHostedSearch } = await import('./search/hosted/hosted-search.ts');
    return openHostedSearch(search, parts);
  }
  await stopTellingIndex(parts);
  return null;
}

/** Lets requests and sockets in flight end, but no longer than five seconds. */
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
