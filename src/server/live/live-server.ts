// What a socket gets from the server.
import type { ShownAnnouncement } from '#contract/announcements.ts';
import type { ServerCore } from '#server/accounts/server-core.ts';
import type { ConnectedChat } from '#server/chat/connect-chat.ts';
import type { ConnectedPictures } from '#server/pictures/connect-pictures.ts';
import type { CatchUpCache } from './catch-up-cache.ts';
import type { Hub } from './hub.ts';

export interface LiveServer extends ServerCore, ConnectedChat, ConnectedPictures {
  hub: Hub;
  catchUps: CatchUpCache;
  announcements: {
    /** The announcements of the class, or those for everyone (null), newest first. Undefined if there are none. */
    current(classId: string | null): ShownAnnouncement[] | undefined;
    /** Whether members can read and not write. */
    isMaintenance(): boolean;
  };
  /** Notified of what an account reads, so that the account gets no push notification of it. */
  notifier: {
    /** The account has the class in view on a device. */
    onViewed(accountId: string, classId: string): void;
    /** The class is no longer in view on one of the account's devices. */
    onViewEnded(accountId: string, classId: string): void;
    /** The account has read the class up to this seq. */
    onRead(accountId: string, classId: string, seq: number): void;
  };
}
