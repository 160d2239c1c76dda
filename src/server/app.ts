// The composition root: the only place that constructs the parts and hands them to each other.
import { mkdirSync } from 'node:fs';
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
import { answerRefusals } from './http/refusals.ts';
import { routeOn } from './http/route.ts';
import { schoolThemeRoutes } from './http/school-themes.ts';
import { searchRoutes } from './http/search.ts';
import { webFiles } from './http/web-files.ts';
import type { Log } from './log.ts';
import { folderMail } from './mail/folder.ts';
import { smtpMail } from './mail/smtp.ts';
import { keyCheckValue, loadServerKeys } from './server-keys.ts';
import { createHub } from './socket/hub.ts';
import { attachSocketServer } from './socket/socket-server.ts';
import { createCommitQueue } from './storage/commit-queue.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { openDatabase } from './storage/open-database.ts';
import { readSchoolThemes } from './storage/school-themes.ts';

export interface App {
  server: Server;
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
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const unlockFolder = lockFolder(config.dataDir);
  try {
    const keys = loadServerKeys(config.secretKey, config.dataDir);
    const { db, kind, epoch } = await openDatabase(config.database, keyCheckValue(keys));
    const hub = createHub();
    const commits = createCommitQueue(db, hub.publish, log);
    const auth = createAuth({
      config,
      db,
      engine: kind,
      cookieSecret: keys.cookies,
      sendMail:
        config.mail.kind === 'smtp'
          ? smtpMail(config.mail.url, config.mail.from)
          : folderMail(config.mail.dir, config.mail.from, log),
      onSessionsEnded: hub.endSessions,
      log,
    });
    const verify = config.emailVerification === 'required';
    const accounts = createAccounts(auth, { emailDomain: config.emailDomain, verify }, log);
    const origins = createOrigins(config, config.listen.port);
    const personaKey = keys.personas;

    const app = new Hono();
    answerRefusals(app, log);
    guard(app, origins, config.publicUrl.protocol === 'https:');
    const route = routeOn(app, accounts);
    accountRoutes(route, accounts, hub);
    classRoutes(route, { db, commits, hub, personaKey });
    messageRoutes(route, db, personaKey);
    schoolThemeRoutes(route, readSchoolThemes(themesDir, checkSchoolTheme));
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
    const sockets = { hub, db, commits, epoch, personaKey, log, accounts, origins };
    const stopSockets = attachSocketServer(server, sockets);

    return {
      server,
      async close() {
        stopSockets();
        hub.shutDown();
        await closeServer(server);
        await commits.drain();
        await db.destroy();
        unlockFolder();
      },
    };
  } catch (error) {
    unlockFolder();
    throw error;
  }
}

/** Lets requests in flight end, but no longer than five seconds. */
async function closeServer(server: Server): Promise<void> {
  const impatient = setTimeout(() => server.closeAllConnections(), 5_000);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(impatient);
}
