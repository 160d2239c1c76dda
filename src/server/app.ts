// The composition root: the only place that constructs the parts and hands them to each other.
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Refusal } from '#contract/errors.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAuth } from './accounts/auth.ts';
import type { Config } from './config.ts';
import { checkSchoolTheme } from './domain/school-theme.ts';
import { accountRoutes } from './http/accounts.ts';
import { classRoutes } from './http/classes.ts';
import { guard } from './http/guards.ts';
import { messageRoutes } from './http/messages.ts';
import { createOrigins } from './http/origins.ts';
import { personaRoutes } from './http/personas.ts';
import { answerRefusals } from './http/refusals.ts';
import { routeOn } from './http/route.ts';
import { schoolThemeRoutes } from './http/school-themes.ts';
import { searchRoutes } from './http/search.ts';
import { webFiles } from './http/web-files.ts';
import type { Log } from './log.ts';
import { folderMail } from './mail/folder.ts';
import { createOutgoingMails } from './mail/outgoing-mails.ts';
import { smtpMail } from './mail/smtp.ts';
import { keyCheckValue, loadServerKeys } from './server-keys.ts';
import { followRevocations } from './socket/follow-revocations.ts';
import { createHub } from './socket/hub.ts';
import { createRooms } from './socket/rooms.ts';
import { attachSocketServer, type SocketServer } from './socket/socket-server.ts';
import { createCommitQueue } from './storage/commit-queue.ts';
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
    if (config.database.kind === 'postgres') lock = await lockPostgres(config.database.url, log);
    const { db, kind, epoch } = await openDatabase(config.database, keyCheckValue(keys), log);
    const hub = createHub();
    const eraser = kind === 'sqlite' ? createWalEraser(db, log) : null;
    const commits = createCommitQueue(db, hub.publish, log, eraser?.soon);
    const { mail } = config;
    const mails = createOutgoingMails(
      mail.kind === 'smtp' ? smtpMail(mail.url, mail.from) : folderMail(mail.dir, mail.from, log),
      log,
    );
    const auth = createAuth({
      config,
      db,
      engine: kind,
      cookieSecret: keys.cookies,
      postMail: mails.post,
      onSessionsEnded: hub.endSessions,
    });
    const verify = config.emailVerification === 'required';
    const accounts = await createAccounts(
      auth,
      db,
      { emailDomain: config.emailDomain, verify },
      log,
    );
    const origins = createOrigins(config, config.listen.port);

    const app = new Hono();
    answerRefusals(app, log);
    guard(app, origins, config.publicUrl.protocol === 'https:');
    const route = routeOn(app, accounts);
    accountRoutes(route, { accounts, hub, accountKeyOf });
    personaRoutes(route, { db, commits, personaKey, appName: config.appName });
    classRoutes(route, { db, commits, hub });
    messageRoutes(route, db, personaKey);
    schoolThemeRoutes(route, themes);
    searchRoutes(route, db);
    app.get('/healthz', (context) => context.text('ok'));
    app.get('/readyz', async (context) => {
      await db.selectFrom('facts').select('name').limit(1).execute();
      return context.text('ready');
    });
    if (webDir) {
      webFiles(app, webDir, {
        'application-name': config.appName,
        'email-domain': config.emailDomain,
      });
    } else {
      app.notFound(() => {
        throw new Refusal('NOT_FOUND');
      });
    }

    const listener = getRequestListener(app.fetch);
    const server = createServer((request, response) => void listener(request, response));
    const rooms = createRooms(db);
    const sockets = {
      hub,
      rooms,
      db,
      commits,
      epoch,
      personaKey,
      accountKeyOf,
      log,
      accounts,
      origins,
    };
    const socketServer = attachSocketServer(server, sockets);
    const stopFollowing = await followRevocations({ db, hub, log });

    return {
      server,
      databaseTaken: lock?.taken ?? new Promise(() => {}),
      async close() {
        themes.stop();
        socketServer.stop();
        hub.shutDown();
        await closeServer(server, socketServer);
        await stopFollowing();
        await commits.drain();
        await mails.drain();
        eraser?.stop();
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
