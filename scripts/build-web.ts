import { failureReason } from '#server/startup-failure.ts';
import { buildWeb } from '#server/web-build.ts';

// Another user than the one who builds may run the server.
process.umask(0o022);

try {
  await buildWeb();
} catch (error) {
  console.error(failureReason(error));
  process.exitCode = 1;
}
