// The connection of the first screen. It opens and subscribes while the code of that screen still loads.
import type { QueryClient } from '@tanstack/react-query';
import type { LiveClient } from '#web/sync/room/room.ts';

let firstConnection: LiveClient | null = null;
/** The screen has its connection, or no member is signed in. */
let isSettled = false;

export async function openFirstConnection(client: QueryClient): Promise<LiveClient | null> {
  const { openConnection } = await import('#web/app/live-connection.ts');
  if (!isSettled) firstConnection ??= openConnection(client);
  return firstConnection;
}

/** Null if no connection is open yet: the caller then opens its own. */
export function takeFirstConnection(): LiveClient | null {
  const connection = firstConnection;
  firstConnection = null;
  isSettled = true;
  return connection;
}
