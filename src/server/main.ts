// The entry point: environment → config → app → listen → drain.
import { createApp, type App } from './app.ts';
import { isPublic, loadConfig, removeSettings } from './config/config.ts';
import type { Config } from './config/config-types.ts';
import { findFileSandbox, logSandbox } from './pictures/file-sandbox.ts';
import { createLog } from './base/log.ts';
import { toStartupFailure } from './base/startup-failure.ts';
import { version } from './base/version.ts';
import { ensureWebBuilt, webDir } from './features/web-app/web-build.ts';

// Only this user can read new files in the data folder, whatever the folder's own mode is.
process.umask(0o077);

const log = createLog();
/** `npm run dev` serves the web app from Vite. */
const withWeb = !process.argv.includes('--without-web');

try {
  const config = loadConfig();
  removeSettings();
  const sandbox = findFileSandbox();
  if (withWeb) await ensureWebBuilt(() => console.log('  Building the web app …'));
  const app = await createApp(config, log, withWeb ? webDir : null, { sandbox });
  stopOnSignals(app);
  stopWhenTaken(app);
  await listen(app, config).catch(async (error: unknown) => {
    // Gives back the lease on background work: a supervisor starts this again and again.
    await app.close().catch(() => {});
    throw error;
  });
  printGreeting(config);
  log.info('server.started', { version });
  logSandbox(await sandbox, log);
} catch (error) {
  console.error(toStartupFailure(error));
  process.exit(1);
}

function listen({ server }: App, { listen: { host, port } }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function printGreeting(config: Config): void {
  const rows = {
    version,
    'data folder': config.dataDir,
    database: config.database.kind === 'postgres' ? 'PostgreSQL' : 'SQLite',
    ...(config.redisUrl ? { nodes: 'connected by Redis' } : {}),
    'email domain': config.emailDomains.join(', '),
    verification: config.emailVerification,
    mail:
      config.mail.kind === 'smtp' ? 'by SMTP' : `as files in ${config.mail.dir}, each for a day`,
    proxies: config.trustedProxies === 0 ? 'none' : `${config.trustedProxies} trusted`,
  };
  const lines = Object.entries(rows).map(([name, value]) => `    ${name.padEnd(13)}  ${value}\n`);
  console.log(`\n  ${config.appName} is at ${config.publicUrl.origin}\n${lines.join('')}`);
  for (const warning of config.warnings) console.warn(`  Warning: ${warning}\n`);
  if (config.redisUrl && config.images.kind === 'disk') {
    console.warn(
      '  Warning: pictures are files of this node, and the other nodes do not have them.\n' +
        '  Set S3_BUCKET, or give all nodes one folder at DATA_DIR/images.\n',
    );
  }
  if (config.emailVerification === 'off' && isPublic(config)) {
    console.warn(
      '  Warning: anyone who can reach this server can sign up with an address of someone else.\n' +
        '  Set SMTP_URL and EMAIL_VERIFICATION=required before you invite people.\n',
    );
  }
}

/** The server stops because, without Redis, two servers on one database do not receive each other's messages. */
function stopWhenTaken(app: App): void {
  void app.databaseTaken.then(async () => {
    log.error('database.taken');
    console.error('Stopping: another server uses the database of DATABASE_URL now.');
    await app.close().catch(() => {});
    process.exit(1);
  });
}

/** The first signal drains. A second one, at least a second later, exits immediately. */
function stopOnSignals(app: App): void {
  let drainingSince = 0;
  const stop = () => {
    // A terminal and npm may both forward the same Ctrl-C.
    if (drainingSince && Date.now() - drainingSince < 1000) return;
    if (drainingSince) process.exit(1);
    drainingSince = Date.now();
    log.info('server.draining');
    app.close().then(
      () => {
        log.info('server.stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error('server.stopped', { error });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
