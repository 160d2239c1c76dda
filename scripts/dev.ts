// `npm run dev`: the server starts again when its sources change, the browser app reloads itself.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { socketPath } from '#contract/socket-address.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const serverPort = 3001;
const target = `http://127.0.0.1:${serverPort}`;

const vite = await createServer({
  root: `${root}src/web`,
  configFile: `${root}vite.config.ts`,
  server: {
    host: '127.0.0.1',
    port: 3000,
    strictPort: true,
    proxy: {
      '/api': target,
      '/1/': target,
      [socketPath]: { target, ws: true },
    },
  },
});
await vite.listen();

const server = spawn(
  process.execPath,
  ['--watch-path=src/server', '--watch-path=src/contract', 'src/server/main.ts', '--without-web'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORT: String(serverPort), PUBLIC_URL: 'http://localhost:3000' },
  },
);
server.on('exit', (code) => process.exit(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.kill(signal);
    void vite.close();
  });
}
