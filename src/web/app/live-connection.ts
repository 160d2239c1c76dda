import type { QueryClient } from '@tanstack/react-query';
import { forgetLeftClass, refreshClasses, removeClass } from '#web/data/classes.ts';
import { storeOfflineWhenLoaded } from '#web/data/offline-answers.ts';
import { refreshOwnDecisions } from '#web/data/own-decisions.ts';
import { endSession, refreshMe, sessionEnd } from '#web/data/session.ts';
import { refreshWaitingWork } from '#web/data/waiting-work.ts';
import { SocketLiveClient } from '#web/sync/live-client.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

/** Opens a connection that keeps the cached session and class list current. */
export function openConnection(client: QueryClient): LiveClient {
  const live = new SocketLiveClient();
  live.onEnrollment((classId, isJoined) => {
    if (!isJoined) {
      removeClass(client, classId);
      // A moderator may have removed the member.
      return void refreshOwnDecisions(client);
    }
    forgetLeftClass(classId);
    void refreshClasses(client);
  });
  live.onClassChanged(() => void refreshClasses(client));
  // The account's roles may have changed.
  live.onModerationChanged(() => {
    void refreshMe(client);
    void refreshWaitingWork(client);
  });
  live.onSignedOut(() => endSession(client));
  live.onClose(
    sessionEnd.subscribe(() => {
      if (sessionEnd.getSnapshot()) live.pause();
      else live.resume();
    }),
  );
  live.onClose(storeOfflineWhenLoaded(live, client));
  return live;
}
