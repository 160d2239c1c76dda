import { failureReason } from '#server/startup-failure.ts';
import { buildWeb } from '#server/web-build.ts';

try {
  await buildWeb();
} catch (error) {
  console.error(failureReason(error));
  process.exitCode = 1;
}
