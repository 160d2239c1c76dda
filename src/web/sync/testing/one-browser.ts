// For tests: one browser of Ada connected to a fake server, with fake timers.
import { vi } from 'vitest';
import { FakeBrowser, type FakeTab } from './fake-browser.ts';
import { FakeServer } from './fake-server.ts';

export function startBrowser(snapshotSize?: number): { server: FakeServer; browser: FakeBrowser } {
  vi.useFakeTimers();
  const server = new FakeServer(snapshotSize);
  return { server, browser: new FakeBrowser(server, 'ada') };
}

export function stopBrowser(browser: FakeBrowser): void {
  for (const tab of [...browser.tabs]) tab.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
}

export const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Delivers all frames in flight. */
export async function carry(...tabs: FakeTab[]): Promise<void> {
  await wait(1);
  for (let rounds = 0; rounds < 20; rounds++) {
    for (const tab of tabs) {
      tab.wire()?.open();
      tab.wire()?.deliverUp();
      tab.wire()?.deliverDown();
    }
    await wait(0);
  }
}

/** Opens a tab and shows the class when it is ready. */
export async function openTabIn(browser: FakeBrowser): Promise<FakeTab> {
  const tab = browser.openTab();
  tab.live.room('class');
  await carry(tab);
  return tab;
}
