import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { takeFirstConnection } from '#web/app/first-connection.ts';
import { openConnection } from '#web/app/live-connection.ts';
import { useClasses } from '#web/data/classes.ts';
import { useMe } from '#web/data/session.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

const LiveContext = createContext<LiveClient | null>(null);

/** Holds one connection while a member is signed in. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveClient | null>(null);
  // An effect opens the connection, because a closed connection cannot be reused after a remount. It runs before
  // the paint, which otherwise would show nothing.
  useLayoutEffect(() => {
    const connection = takeFirstConnection() ?? openConnection(client);
    // oxlint-disable-next-line react/set-state-in-effect -- the connection is an external system.
    setLive(connection);
    return () => connection.close();
  }, [client]);
  return live && <Connected live={live}>{children}</Connected>;
}

function Connected({ live, children }: { live: LiveClient; children: ReactNode }) {
  const navigate = useNavigate();
  const classes = useClasses().data;
  const account = useMe().data?.account?.key;
  useEffect(() => {
    if (account !== undefined) live.setAccount(account);
  }, [live, account]);
  useEffect(() => {
    if (classes) live.follow(classes.map(({ classId }) => classId));
  }, [live, classes]);
  useEffect(
    () =>
      live.onEnrollment((classId, isJoined) => {
        // The member left in another tab, so this tab does not offer to join again. The class has left the list:
        // /home opens the first class of the list.
        if (!isJoined && location.pathname === `/home/${classId}`) {
          void navigate('/home', { replace: true });
        }
      }),
    [live, navigate],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): LiveClient {
  const live = use(LiveContext);
  if (!live) throw new Error('useLive needs a LiveProvider above it.');
  return live;
}
