// The browser of a signed-in student, on a computer that is four times slower than this one.
import { chromium, type BrowserContext, type CDPSession, type Page } from '@playwright/test';
import { ensureWebBuilt } from '#server/features/web-app/web-build.ts';
import type { Run } from '../scenario.ts';

/** A phone of the lower middle class is about four times slower than a desktop. */
const slowdown = 4;
/** A page whose main thread is overloaded answers late. */
const blockedTimeoutMs = 300_000;

export const messageSelector = '[role="group"][aria-label="Messages"] article';

/** Starts the server with the web app, and a browser with an empty cache. The browser ends with this process. */
export async function startWithBrowser({ system, workload, start }: Run) {
  await ensureWebBuilt(() => console.error('Building the web app …'));
  const server = await start({
    withWeb: true,
    isMember: () => true,
    storedMessages: workload.messages,
  });
  const { BACKCHANNEL_BROWSER } = process.env;
  const browser = await chromium.launch({
    ...(BACKCHANNEL_BROWSER && { executablePath: BACKCHANNEL_BROWSER }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const profile = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const { cookies, classIds } = system.school!;
  // The other clients post.
  const [name = '', value = ''] = cookies.at(-1)!.split(/=(.*)/s);
  await profile.addCookies([{ name, value, url: server.origin }]);
  return { profile, pids: server.pids, roomUrl: `${server.origin}/home/${classIds[0]}` };
}

export async function openSlowTab(
  profile: BrowserContext,
): Promise<{ page: Page; devTools: CDPSession }> {
  const page = await profile.newPage();
  page.setDefaultTimeout(blockedTimeoutMs);
  const devTools = await profile.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  return { page, devTools };
}
