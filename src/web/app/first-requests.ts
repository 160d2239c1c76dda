// Requests what the first screen needs. The built page runs this module before React and the screens have arrived, and
// main.tsx imports the same module.
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { announcementBanner } from '#web/app/announcement-banner-code.ts';
import { openFirstConnection, takeFirstConnection } from '#web/app/first-connection.ts';
import { classesQuery, fetchClasses } from '#web/data/classes-query.ts';
import { createQueryClient } from '#web/data/query-client.ts';
import { announcementsKey, deleteOfflineData } from '#web/data/reachability.ts';
import { themeQuery } from '#web/data/school-theme.ts';
import { clearStoredDrafts } from '#web/data/session-end.ts';
import { meQuery } from '#web/data/session.ts';
import { loadMarkup } from '#web/markup/markup-parser.ts';
import { site } from '#web/site.ts';

export const queryClient = createQueryClient();

/** The code behind sign-in. It is a query because a `lazy` component shows its fallback for at least 300 ms. */
export const memberAreaQuery = queryOptions({
  queryKey: ['code', 'member-area'],
  queryFn: async () => {
    loadMarkup();
    // The first screen already shows what this browser knows, so that the banner moves nothing later.
    const banner = localStorage.getItem(announcementsKey) && announcementBanner.load();
    const { MemberArea } = await import('#web/app/member-area.tsx');
    await banner;
    return { MemberArea };
  },
  staleTime: Infinity,
  gcTime: Infinity,
});

/** The code of sign-in and sign-up. The page of signed-out visitors loads it with the page. */
export const signedOutAreaQuery = queryOptions({
  queryKey: ['code', 'signed-out-area'],
  queryFn: async () => {
    const { SignedOutArea } = await import('#web/app/signed-out-area.tsx');
    return { SignedOutArea };
  },
  staleTime: Infinity,
  gcTime: Infinity,
});

/** The screen of a lecture hall, which has no session. */
export const presenterPath = /^\/present\/?$/i;

/** Ignores failures: the screen that needs a failed request repeats it and shows the error. */
async function requestFirst(client: QueryClient): Promise<void> {
  void client.prefetchQuery(themeQuery);
  if (presenterPath.test(location.pathname)) return;
  if (site.hasSession) requestMemberArea(client);
  else void client.prefetchQuery(signedOutAreaQuery);
  await client.prefetchQuery(meQuery);
  const me = client.getQueryData(meQuery.queryKey);
  if (me?.account?.suspended !== false) {
    takeFirstConnection()?.close();
    // The session may have ended while no tab was open.
    if (me) {
      clearStoredDrafts();
      void deleteOfflineData();
    }
  } else if (!site.hasSession) requestMemberArea(client);
}

function requestMemberArea(client: QueryClient): void {
  void client.prefetchQuery(memberAreaQuery);
  void client.prefetchQuery(classesQuery);
  void openFirstRoom(client).catch(() => undefined);
}

/** Connects, and subscribes to the class that this URL opens. */
async function openFirstRoom(client: QueryClient): Promise<void> {
  const [, area, classId] = location.pathname.split('/');
  if (area !== '' && area !== 'home') return;
  const [connection, classes] = await Promise.all([
    openFirstConnection(client),
    fetchClasses(client),
  ]);
  const open = classId ? classes.find((classInfo) => classInfo.classId === classId) : classes[0];
  if (open) connection?.room(open.classId);
}

void requestFirst(queryClient);
