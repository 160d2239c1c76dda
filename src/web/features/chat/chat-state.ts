// What the room shows next to its messages: whether the member can write, and what keeps the messages from the screen.
import type { Sanction } from '#contract/entities.ts';
import type { Connection } from '#web/sync/engine/connection-status.ts';
import { findSpeakerSanction, isReadOnly, type RoomView } from '#web/sync/room/room.ts';

export interface ChatState {
  /** The term is over, or a moderator removed the member. */
  ended: boolean;
  /** No one can write. */
  closed: boolean;
  /** A moderator removed the member. */
  isRemoved: boolean;
  /** What keeps the member from writing the next message. */
  sanction: Sanction | null;
  offline: boolean;
  /** The server answers, but live updates do not arrive. */
  blocked: boolean;
  /**
   * What stands in the place of the messages. `blank`: only the reason of the removal is on screen. `notKept`: there is no
   * connection, and this device has none.
   */
  content: 'messages' | 'loading' | 'empty' | 'blank' | 'notKept';
}

interface Situation {
  /** The term is over. */
  ended: boolean;
  connection: Connection;
  hasNetwork: boolean;
  /** Messages have markup that cannot be shown yet: they would change their height. */
  isAwaitingMarkup: boolean;
}

export function toChatState(view: RoomView, situation: Situation): ChatState {
  const { connection, hasNetwork } = situation;
  const isRemoved = view.sanction?.kind === 'removed';
  const hasEnded = situation.ended || isRemoved;
  const offline = connection === 'offline' || !hasNetwork;
  return {
    ended: hasEnded,
    closed: hasEnded || isReadOnly(view),
    isRemoved,
    sanction: isRemoved ? view.sanction : findSpeakerSanction(view),
    offline,
    blocked: connection === 'blocked' && hasNetwork,
    content: toContent(view, { isRemoved, offline, ...situation }),
  };
}

function toContent(
  { state, messages, topic, older }: RoomView,
  situation: Pick<ChatState, 'isRemoved' | 'offline'> & Pick<Situation, 'isAwaitingMarkup'>,
): ChatState['content'] {
  if (situation.isAwaitingMarkup) return 'loading';
  // Unsent messages are shown even before the room has loaded.
  if (messages.length > 0) return 'messages';
  if (situation.isRemoved) return 'blank';
  // The room may hold nothing of the topic, and reads older messages.
  if (topic && older === 'failed') return 'notKept';
  if (topic && older !== 'none') return 'loading';
  if (state === 'ready') return 'empty';
  return state === 'loading' && situation.offline ? 'notKept' : 'loading';
}
