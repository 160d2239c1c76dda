// The hub that the rest of the server sees: it delivers each class's log through the feed, in order and without gaps.
import { encodeReplay, type EncodedEvents } from '#server/live/frames.ts';
import type { Hub, LocalHub } from '#server/live/hub.ts';
import type { ClassFeed } from './class-feed.ts';

/** @param send takes what this server has committed to the other nodes */
export function createOrderedHub(
  local: LocalHub,
  feed: ClassFeed,
  send?: (classId: string, events: EncodedEvents) => void,
): Hub {
  return {
    ...local,
    subscribe(classId, subscriber) {
      local.subscribe(classId, subscriber);
      return feed.listen(classId, subscriber);
    },
    unsubscribe(classId, subscriber) {
      local.unsubscribe(classId, subscriber);
      feed.unlisten(classId, subscriber);
    },
    follow(classId, follower) {
      local.follow(classId, follower);
      return feed.listen(classId, follower);
    },
    unfollow(classId, follower) {
      local.unfollow(classId, follower);
      feed.unlisten(classId, follower);
    },
    publish(classId, items) {
      const first = items[0];
      const last = items.at(-1);
      if (!first || !last || (!send && !feed.isListenedTo(classId))) return;
      const replay = { from: first.seq, to: last.seq, lastId: last.id, items: [...items] };
      const events = encodeReplay(classId, replay);
      send?.(classId, events);
      feed.offer(classId, events);
    },
    publishLog: (classId) => feed.check(classId),
    stop: () => feed.stop(),
  };
}
