// The hub of one of several nodes. The events of a class on this node also reach the subscribers of the other nodes.
import type { ServerCore } from '#server/accounts/server-core.ts';
import { mergeRuns } from '#server/base/merge-runs.ts';
import { decodeEvents, encodeReplay, type EncodedEvents } from '#server/live/frames.ts';
import type { Hub, LocalHub, Subscriber } from '#server/live/hub.ts';
import type { BusCipher } from './bus-cipher.ts';
import { ClassFeed } from './class-feed.ts';
import type { Notice, Notices } from './notices.ts';
import type { PresenceElsewhere } from './presence-elsewhere.ts';
import { createOrderedHub } from './ordered-hub.ts';
import { createLogReader } from './read-log.ts';
import type { Bus } from './redis-bus.ts';

const messageKinds = { events: 1, typing: 2 } as const;
/** The length of a header: one byte for the kind, and two seqs of six bytes. */
const headerBytes = 13;

export function createNodeHub(
  local: LocalHub,
  { feed, send }: ReturnType<typeof connectFeed>,
  notices: Notices,
  presence: PresenceElsewhere,
): Hub {
  const { deriveAccountKey } = notices;
  /** The accounts with a socket at this node, by their key. */
  const accountIds = new Map<string, string>();
  notices.onNotice((notice) => handleNotice(notice, local, accountIds));
  // Nothing but a notice ends the subscriptions here of an account that has left.
  const endLeftSubscriptions = mergeRuns(() => local.endLeftSubscriptions());
  notices.onGap(() => void endLeftSubscriptions());
  const hub = createOrderedHub(local, feed, (classId, events) =>
    send(classId, toHeader(events), events.frame),
  );
  return {
    ...hub,
    connect(connection) {
      accountIds.set(deriveAccountKey(connection.accountId), connection.accountId);
      local.connect(connection);
    },
    disconnect(connection) {
      local.disconnect(connection);
      if (local.countConnections(connection.accountId) > 0) return;
      accountIds.delete(deriveAccountKey(connection.accountId));
    },
    countConnections: (accountId) =>
      local.countConnections(accountId) + presence.countSockets(accountId),
    isViewing: (accountId, classId) =>
      local.isViewing(accountId, classId) || presence.isViewing(accountId, classId),
    notifyEnrollment(accountId, classId, hasJoined) {
      local.notifyEnrollment(accountId, classId, hasJoined);
      const account = deriveAccountKey(accountId);
      notices.send({ kind: 'enrollment', account, classId, joined: hasJoined });
    },
    notifyRead(from, classId, seq, mayMoveBack) {
      local.notifyRead(from, classId, seq, mayMoveBack);
      const account = deriveAccountKey(from.accountId);
      notices.send({ kind: 'read', account, classId, seq, mayMoveBack });
    },
    notifyPreferences(accountId, classId, preferences) {
      local.notifyPreferences(accountId, classId, preferences);
      const account = deriveAccountKey(accountId);
      notices.send({ kind: 'preferences', account, classId, preferences });
    },
    notifyVoted(accountId, ownVote) {
      local.notifyVoted(accountId, ownVote);
      notices.send({ kind: 'voted', account: deriveAccountKey(accountId), ownVote });
    },
    notifyModerationChanged(changedIds) {
      local.notifyModerationChanged(changedIds);
      if (changedIds.length === 0) return;
      notices.send({ kind: 'moderation', accounts: changedIds.map(deriveAccountKey) });
    },
  };
}

/** Connects the feed of this node with Redis. A class has a channel here while it has listeners here. */
export function connectFeed(
  { db, log, metrics }: Pick<ServerCore, 'db' | 'log' | 'metrics'>,
  local: LocalHub,
  bus: Bus,
  cipher: BusCipher,
) {
  /** Subscribers that stand for the members at other nodes, one in each class that has listeners here. */
  const remoteMembers = new Map<string, Subscriber>();
  let hasWarned = false;

  const toChannel = (classId: string) => cipher.toChannel(`class ${classId}`);

  function send(classId: string, header: Buffer, frame?: Buffer): void {
    if (!bus.isConnected()) return;
    const channel = toChannel(classId);
    bus.publish(channel, cipher.seal(channel, frame ? [header, frame] : [header]));
  }

  function receive(classId: string, message: Buffer): void {
    if (cipher.isOwn(message)) return;
    const plaintext = cipher.open(toChannel(classId), message);
    if (plaintext?.[0] === messageKinds.typing) {
      const typingMember = remoteMembers.get(classId);
      if (typingMember) local.notifyTyping(classId, typingMember);
    } else if (plaintext?.[0] === messageKinds.events && plaintext.length > headerBytes) {
      feed.offer(classId, toEvents(plaintext));
    } else {
      metrics.count('busProblems', 'refused');
      if (!hasWarned) {
        log.warn('bus.refused', { hint: 'A message on Redis was not sealed with SECRET_KEY.' });
      }
      hasWarned = true;
    }
  }

  const feed: ClassFeed = new ClassFeed({
    ...createLogReader(db),
    log,
    encode: encodeReplay,
    publish: local.deliver,
    hasNodes: true,
    onFirstListener(classId) {
      const member: Subscriber = {
        receive() {},
        receiveVolatile: () => send(classId, Buffer.from([messageKinds.typing])),
      };
      remoteMembers.set(classId, member);
      local.subscribe(classId, member);
      return bus.subscribe(toChannel(classId), (message) => receive(classId, message));
    },
    onNoListener(classId) {
      bus.unsubscribe(toChannel(classId));
      const member = remoteMembers.get(classId);
      remoteMembers.delete(classId);
      if (member) local.unsubscribe(classId, member);
    },
    onRepaired: () => metrics.count('busProblems', 'repaired'),
  });
  bus.onConnected(() => void feed.checkAll());
  return { feed, send };
}

/** @param accountIds the accounts with a socket at this node, by their key */
function handleNotice(
  notice: Notice,
  local: LocalHub,
  accountIds: ReadonlyMap<string, string>,
): void {
  if (notice.kind === 'moderation') {
    const localIds = notice.accounts.flatMap((account) => accountIds.get(account) ?? []);
    local.notifyModerationChanged(localIds);
  } else if ('account' in notice) {
    const accountId = accountIds.get(notice.account);
    if (accountId !== undefined) handleAccountNotice(notice, local, accountId);
  }
}

function handleAccountNotice(
  notice: Extract<Notice, { account: string }>,
  local: LocalHub,
  accountId: string,
): void {
  switch (notice.kind) {
    case 'enrollment':
      return local.notifyEnrollment(accountId, notice.classId, notice.joined);
    case 'read':
      return local.notifyRead({ accountId }, notice.classId, notice.seq, notice.mayMoveBack);
    case 'preferences':
      return local.notifyPreferences(accountId, notice.classId, notice.preferences);
    case 'voted':
      return local.notifyVoted(accountId, notice.ownVote);
    case 'active':
    case 'viewEnded':
  }
}

function toHeader({ from, to }: EncodedEvents): Buffer {
  const header = Buffer.alloc(headerBytes);
  header[0] = messageKinds.events;
  header.writeUIntBE(from, 1, 6);
  header.writeUIntBE(to, 7, 6);
  return header;
}

function toEvents(message: Buffer): EncodedEvents {
  const frame = message.subarray(headerBytes);
  return {
    from: message.readUIntBE(1, 6),
    to: message.readUIntBE(7, 6),
    frame,
    items: () => decodeEvents(frame),
  };
}
