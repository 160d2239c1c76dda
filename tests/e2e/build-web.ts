import { ensureWebBuilt } from '#server/features/web-app/web-build.ts';

/** Builds the web app before the workers start: otherwise the server of each worker would, at the same time. */
// oxlint-disable-next-line import/no-default-export -- Playwright calls it
export default async function buildWebOnce(): Promise<void> {
  await ensureWebBuilt(() => {});
}
