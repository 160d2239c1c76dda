import { toFailureReason } from '#server/base/startup-failure.ts';
import { buildWeb } from '#server/features/web-app/web-build.ts';

// The server may run as another user than the one who builds.
process.umask(0o022);
// With another value, as in tests, Vite would build React for development.
process.env['NODE_ENV'] = 'production';

try {
  await buildWeb();
} catch (error) {
  console.error(toFailureReason(error));
  process.exitCode = 1;
}
