import type { Stage } from './stage.ts';

/** Longer than this nobody waits for a page that is only read. */
const readWithinMs = 1_000;

/** Reads a page of history again and again, to see whether reading goes on whatever writing does. */
export function watchReading({ clients, clientOf, classId, observe }: Stage) {
  const { student } = clientOf(clients[1]!);
  let slowest = 0;
  let failures = 0;
  let ended = false;
  void (async () => {
    while (!ended) {
      const before = performance.now();
      const page = student.call('listMessages', { params: { classId }, query: { limit: 10 } });
      await page.catch(() => (failures += 1));
      slowest = Math.max(slowest, performance.now() - before);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    /** @param during says in a few words what went on meanwhile */
    end(during: string): void {
      ended = true;
      const detail = `${failures} failed, the slowest took ${Math.round(slowest)} ms`;
      observe(`reading goes on ${during}`, failures === 0 && slowest < readWithinMs, detail);
    },
  };
}
