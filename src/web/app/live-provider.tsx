import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { dropClass, refreshClasses, useClasses } from '#web/data/classes.ts';
import { clearJustLeft } from '#web/data/just-left.ts';
import { forgetSession, useMe } from '#web/data/session.ts';
import { createLive } from '#web/sync/live.ts';
import type { Live } from '#web/sync/room.ts';

const LiveContext = createContext<Live | null>(null);

/** Holds one connection while a member is signed in. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    // An effect creates the connection, because a closed connection cannot be reused after a remount.
    const created = createLive();
    // oxlint-disable-next-line react/set-state-in-effect -- the connection is an external system.
    setLive(created);
    return () => created.close();
  }, []);
  return live && <Connected live={live}>{children}</Connected>;
}

function Connected({ live, children }: { live: Live; children: ReactNode }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const classes = useClasses().data;
  const account = useMe().data?.account?.key;
  useEffect(() => {
    if (account !== undefined) live.belongsTo(account);
  }, [live, account]);
  useEffect(() => {
    if (classes) live.follow(classes.map(({ classId }) => classId));
  }, [live, classes]);
  useEffect(
    () =>
      live.onEnrolment((classId, joined) => {
        if (joined) {
          clearJustLeft(classId);
          void refreshClasses(client);
          return;
        }
        // Runs before navigation: /home opens the first class of the list.
        dropClass(client, classId);
        // The member left in another tab, so this tab does not offer to join again.
        if (location.pathname === `/home/${classId}`) void navigate('/home', { replace: true });
      }),
    [live, client, navigate],
  );
  useEffect(() => live.onClassChanged(() => void refreshClasses(client)), [live, client]);
  useEffect(() => live.onSignedOut(() => forgetSession(client)), [live, client]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): Live {
  const live = use(LiveContext);
  if (!live) throw new Error('useLive needs a LiveProvider above it.');
  return live;
}
