// `npm run dev` restarts the server and reloads the browser app when sources change.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { manifestPath } from '#contract/app-icons.ts';
import { imagesPath, routes } from '#contract/routes.ts';
import { socketPath } from '#contract/socket-address.ts';
import { toStartupFailure } from '#server/base/startup-failure.ts';
import { loadVite } from '#server/features/web-app/web-build.ts';
import { findFreePort } from './find-free-port.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const port = Number(process.env['PORT'] || 3000);
const serverPort = await findFreePort();
const timeoutMs = 2000;
const target = `http://127.0.0.1:${serverPort}`;

const { createServer } = await loadVite().catch((error: unknown) => {
  console.error(toStartupFailure(error));
  process.exit(1);
});
const vite = await createServer({
  root: `${root}src/web`,
  configFile: `${root}vite.config.ts`,
  configLoader: 'native',
  server: {
    host: '127.0.0.1',
    port,
    strictPort: true,
    proxy: {
      // The slash ends the path segment, because /api.ts is a source file and no call.
      '^/(api|1)/': target,
      [`^${imagesPath}`]: target,
      [`^${manifestPath}$`]: target,
      '^/icons/': target,
      // A GET of this path is a page of the app, and only a POST is a call.
      [`^${routes.unsubscribeDigest.path}([?]|$)`]: {
        target,
        bypass: ({ method, url }) => (method === 'GET' ? url : undefined),
      },
      [`^${socketPath}$`]: { target, ws: true },
    },
  },
});
await vite.listen();

const server = spawn(
  process.execPath,
  [
    '--watch-path=src/server',
    '--watch-path=src/contract',
    '--watch-path=themes',
    'src/server/main.ts',
    '--without-web',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORT: String(serverPort), PUBLIC_URL: `http://localhost:${port}` },
  },
);
server.on('exit', (code) => process.exit(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.kill(signal);
    void vite.close();
    // Ctrl-C reaches the server too. If the server exits before Node's watcher handles the signal, the
    // watcher treats it as a crash and waits for an edit.
    setTimeout(() => server.kill('SIGKILL'), timeoutMs);
  });
}
