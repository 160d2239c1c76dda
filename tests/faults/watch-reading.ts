import type { Stage } from './stage.ts';

/** The maximum time for reading a page. */
const readWithinMs = 1_000;

/** Reads a page of history repeatedly, to check that reads continue while writes are blocked. */
export function watchReading({ clients, classId, observe }: Stage) {
  const { account } = clients[1]!;
  let slowest = 0;
  let failures = 0;
  let isEnded = false;
  void (async () => {
    while (!isEnded) {
      const startedAt = performance.now();
      const page = account.call('listMessages', { params: { classId }, query: { limit: 10 } });
      await page.catch(() => (failures += 1));
      slowest = Math.max(slowest, performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    /** @param during describes in a few words what happened meanwhile */
    end(during: string): void {
      isEnded = true;
      const detail = `${failures} failed, the slowest took ${Math.round(slowest)} ms`;
      observe(`reads continue ${during}`, failures === 0 && slowest < readWithinMs, detail);
    },
  };
}
