// Keeps the files of the app, which are public. Nothing else is ever cached: no reply of the server and no picture.
/** The built files, whose names contain a hash of their content, and the logos. The build fills them in. */
declare const APP_FILES: readonly string[];
declare const APP_VERSION: string;
declare const self: ServiceWorkerGlobalScope;

const prefix = 'app-';
const cacheName = `${prefix}${APP_VERSION}`;
/** The page of the app is the same for all paths and members (ROUTE-14). */
const pagePath = '/home';

/** Loads one file after the other, so that a slow connection stays free for the data that the member waits for. */
export async function storeApp(): Promise<void> {
  const cache = await caches.open(cacheName);
  // The page comes first: if the server changes to another version now, the files of this one are gone, and nothing is mixed.
  await cache.add(new Request(pagePath, { cache: 'reload' }));
  for (const path of [...(await findTexts(cache)), ...APP_FILES]) {
    const isBuilt = path.startsWith('/assets/');
    // A file that an interrupted installation has stored is not loaded again.
    if (isBuilt && (await cache.match(path, { ignoreVary: true }))) continue;
    // The HTTP cache may have files of the version before. The names of built files contain hashes.
    await cache.add(isBuilt ? path : new Request(path, { cache: 'reload' }));
  }
}

/** The script with the texts in the language of the page. English has none. */
async function findTexts(cache: Cache): Promise<string[]> {
  const page = await (await cache.match(pagePath, { ignoreVary: true }))?.text();
  return /\/assets\/texts-[\w-]+\.js/.exec(page ?? '') ?? [];
}

/** Keeps the files of the two versions before, for tabs that still run them. One of them may never have taken over. */
export async function takeOver(): Promise<void> {
  const otherNames = (await caches.keys()).filter(
    (name) => name.startsWith(prefix) && name !== cacheName,
  );
  for (const name of otherNames.slice(0, -2)) await caches.delete(name);
  // Requests the page while the worker starts.
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

export const hasFile = (path: string): boolean => APP_FILES.includes(path);

export function serve(event: FetchEvent): void {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(serveFile(request));
  else if (APP_FILES.includes(pathname)) event.respondWith(serveLogo(request));
  else if (request.mode === 'navigate' && isPage(pathname)) event.respondWith(servePage(event));
}

/** Paths of the server's own replies begin with these words, and files have a dot. */
function isPage(pathname: string): boolean {
  return !/^\/(api|1|lti|images|icons|healthz|readyz|metrics)(\/|$)|\./i.test(pathname);
}

async function serveFile(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

/** The server's logo, which the operator may have changed. */
async function serveLogo(request: Request): Promise<Response> {
  return fetch(request).catch(async (error: unknown) => {
    const cache = await caches.open(cacheName);
    const cachedResponse = await cache.match(request, { ignoreVary: true });
    if (cachedResponse) return cachedResponse;
    throw error;
  });
}

/** The server's page, so that a reload always brings the current version. */
async function servePage(event: FetchEvent): Promise<Response> {
  try {
    const preloaded = (await event.preloadResponse) as Response | undefined;
    const response = preloaded ?? (await fetch(event.request));
    if (response.status < 502 || response.status > 504) return response;
    return (await findStoredPage()) ?? response;
  } catch {
    return (await findStoredPage()) ?? Response.error();
  }
}

async function findStoredPage(): Promise<Response | undefined> {
  const cache = await caches.open(cacheName);
  return cache.match(pagePath, { ignoreVary: true });
}
