// What follows each commit, in commit order and before the callers get their results.
import type { Feature, Server } from './feature.ts';
import type { ChangeFollower } from './follow-changes.ts';
import type { CatchUpCache } from './live/catch-up-cache.ts';
import { listStaff } from './chat/staff/roles.ts';
import type { Effect } from './store/changes.ts';

/**
 * A failure here cannot undo the commit.
 *
 * @returns for a commit with change events: resolves when they are followed
 */
export function createFollower(
  server: Server,
  catchUps: CatchUpCache,
  features: readonly Feature[],
  changes: ChangeFollower,
): (effects: readonly Effect[]) => Promise<void> | undefined {
  const { hub, nodes, onErased, log } = server;
  /** Tells the other nodes to look at the change events and the sessions. */
  const notifyNodes = () => nodes?.notices.send({ kind: 'changed' });

  function attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      log.error('publish.failed', { error });
    }
  }

  return (effects) => {
    const classes = effects.filter((effect) => effect.kind === 'class');
    const items = effects.filter((effect) => effect.kind === 'item');
    if (classes.length > 0) {
      const last = new Map(classes.map(({ classId, now }) => [classId, now]));
      for (const feature of features) attempt(() => feature.onClassesChanged?.(last));
    }
    // One frame for each class, however many changes the commit has.
    for (const [classId, classEffects] of Map.groupBy(items, (effect) => effect.classId)) {
      const appended = classEffects.map(({ item }) => item);
      attempt(() => {
        catchUps.update(classId, appended);
        hub.publish(classId, appended);
      });
      for (const feature of features) attempt(() => feature.onLogAppended?.(classId, appended));
    }
    for (const effect of effects) attempt(() => followOne(server, features, changes, effect));
    if (effects.some(({ kind }) => kind === 'erased')) attempt(onErased);
    const hasEvents = effects.some(({ kind }) => kind === 'event');
    if (hasEvents || effects.some(({ kind }) => kind === 'sessionsEnded')) attempt(notifyNodes);
    return hasEvents ? changes.check() : undefined;
  };
}

function followOne(
  server: Server,
  features: readonly Feature[],
  changes: ChangeFollower,
  effect: Effect,
): void {
  const { hub, memberships, readMarks, log } = server;
  switch (effect.kind) {
    case 'item':
    case 'class':
    case 'erased':
    case 'event':
      return;
    case 'sessionsEnded':
      for (const sessionId of effect.sessionIds) changes.endSession(effect.accountId, sessionId);
      return;
    case 'enrollment': {
      const { accountId, classId, joined } = effect;
      if (joined) memberships.add(accountId, classId);
      return hub.notifyEnrollment(accountId, classId, joined);
    }
    case 'unpublished':
      for (const feature of features) feature.onUnpublished?.(effect.classId, effect.messageId);
      return;
    case 'privateQuestions':
      for (const feature of features) feature.onPrivateQuestions?.(effect);
      return;
    case 'answered':
      for (const feature of features) feature.onAnswerMarked?.(effect);
      return;
    case 'departure':
      memberships.remove(effect.accountId, effect.classId);
      return readMarks.delete(effect);
    case 'case':
      notifyModerators(server, effect).catch((error: unknown) => {
        log.error('publish.failed', { error });
      });
  }
}

/**
 * Only asks open pages to look again, also those of the moderator whom the case is about: without the frame, a reporter who watches
 * the network would find this device.
 */
async function notifyModerators(
  server: Server,
  { classId, isForOperators }: Extract<Effect, { kind: 'case' }>,
): Promise<void> {
  server.hub.notifyModerationChanged(await listStaff(server, isForOperators ? null : classId));
}
