// The calls and the sockets of the server, before it listens.
import type { Server as HttpServer } from 'node:http';
import { Hono } from 'hono';
import { toSessionCookieName } from './accounts/cookies.ts';
import { hideSuspended } from './chat/staff/suspended-accounts.ts';
import type { Feature, Server } from './feature.ts';
import type { NamedFeatures } from './features.ts';
import { handleErrors } from './http/error-handler.ts';
import { closeHttpServer, createHttpServer } from './http/http-server.ts';
import { registerInterfaceErrorRoutes } from './http/interface-errors.ts';
import { createOrigins } from './http/origins.ts';
import { addRequestGuards } from './http/request-guards.ts';
import { serveDescriptions } from './http/open-api.ts';
import { createRoute } from './http/route.ts';
import type { CatchUpCache } from './live/catch-up-cache.ts';
import { attachSocketServer, rejectMissingUpgrade } from './live/socket-server.ts';
import { setImageSecurityHeaders } from './pictures/routes.ts';

export function serve(
  stack: AsyncDisposableStack,
  server: Server,
  features: readonly Feature[],
  named: NamedFeatures,
  catchUps: CatchUpCache,
): HttpServer {
  const { config, metrics, hub, callers, suspendedAccounts, log } = server;
  const origins = createOrigins(config, config.listen.port);
  const app = new Hono();
  handleErrors(app, log, metrics.countRejection);
  setImageSecurityHeaders(app);
  const https = config.publicUrl.protocol === 'https:';
  addRequestGuards(app, origins, https, named.classSearch.browserHosts, named.themes.logoOrigins);
  const route = createRoute(app, callers, server.callLimits, {
    ...server,
    isMaintenance: named.announcements.isMaintenance,
  });
  const sessionCookie = toSessionCookieName(https);
  const site = { appName: config.appName, sessionCookie };
  serveDescriptions(app, server.callLimits, site);
  registerInterfaceErrorRoutes(route, metrics);
  rejectMissingUpgrade(app, log);
  for (const feature of features) feature.routes?.(route, app);
  const httpServer = createHttpServer(app);
  const live = {
    ...server,
    catchUps,
    announcements: named.announcements,
    notifier: named.notifications.readingListener,
  };
  const accounts = hideSuspended(server.accounts.accounts, suspendedAccounts);
  const socketServer = attachSocketServer(httpServer, live, accounts, origins);
  stack.defer(async () => {
    socketServer.stop();
    hub.shutDown();
    await closeHttpServer(httpServer, () => socketServer.terminate());
  });
  return httpServer;
}
