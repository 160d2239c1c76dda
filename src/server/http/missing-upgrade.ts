import type { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { socketPath } from '#contract/socket-address.ts';
import type { Log } from '../log.ts';

const hint =
  'A reverse proxy does not forward WebSocket upgrades, so no live updates reach the browsers. Make it forward the Upgrade and Connection headers (nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";).';

/** Real upgrades never reach this route: Node passes them to the socket server. HTTP-46 */
export function refuseMissingUpgrade(app: Hono, log: Log): void {
  let isLogged = false;
  app.get(socketPath, (context) => {
    // Proxies remove the hop-by-hop headers but forward this one.
    if (context.req.header('sec-websocket-key') !== undefined && !isLogged) {
      isLogged = true;
      log.warn('proxy.no-upgrade', { hint });
    }
    context.header('upgrade', 'websocket');
    throw new AppError('UPGRADE_REQUIRED');
  });
}
