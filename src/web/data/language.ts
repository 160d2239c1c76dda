// The reader's choice of a language. The server reads the cookie when it sends the page, and no call contains it except the one
// that saves it for mails.
const yearSeconds = 365 * 24 * 60 * 60;

export async function changeLanguage(language: string): Promise<void> {
  document.cookie = `language=${language}; path=/; max-age=${yearSeconds}; samesite=lax`;
  await replaceStoredPages();
  location.reload();
}

/** The installed app shows its stored page without a network (service-worker/app-shell.ts). */
async function replaceStoredPages(): Promise<void> {
  try {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      const [page] = (await cache.keys()).filter(({ url }) => !/\/(assets|logos)\//.test(url));
      if (!page) continue;
      await cache.add(new Request(page.url, { cache: 'reload' }));
      const text = await (await cache.match(page.url, { ignoreVary: true }))?.text();
      const [texts] = /\/assets\/texts-[\w-]+\.js/.exec(text ?? '') ?? [];
      if (texts !== undefined) await cache.add(texts);
    }
  } catch {
    // The browser denies the access, or the network is gone: the stored page keeps its language.
  }
}
