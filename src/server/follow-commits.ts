// What follows each commit, in commit order and before the callers get their results.
import type { LogItem } from '#contract/socket.ts';
import type { RecentSessions } from './accounts/recent-sessions.ts';
import type { NotificationChoices } from './features/notifications/settings.ts';
import type { PreferenceStore } from './chat/members/preferences.ts';
import type { ReadMarks } from './chat/members/read-marks.ts';
import { forgetMember } from './chat/members/forget-member.ts';
import type { Log } from './base/log.ts';
import type { PushSubscriptions } from './features/notifications/push/subscriptions.ts';
import type { Hub } from './live/hub.ts';
import type { ClassChangeListener, Effect } from './store/unit-of-work.ts';

interface Dependencies {
  hub: Pick<Hub, 'endSession' | 'notifyEnrolment'>;
  search: ClassChangeListener | null;
  choices: Pick<NotificationChoices, 'setEnrolled'>;
  readMarks: Pick<ReadMarks, 'readerOf' | 'delete'>;
  preferences: Pick<PreferenceStore, 'ownerOf' | 'forget'>;
  recentSessions: Pick<RecentSessions, 'clear'>;
  subscriptions: Pick<PushSubscriptions, 'forget'>;
  /** Receives the items of one class in one commit, in log order. */
  publish(classId: string, items: LogItem[]): void;
  onErased(): void;
  /** Follows the change events of the commit. */
  checkChanges(): Promise<void>;
  /** Tells the other nodes to look at the change events and the sessions. */
  tellNodes(): void;
  /** Only asks open pages to look again. @param classId null for the operators */
  notifyModerators(classId: string | null): Promise<void>;
  log: Log;
}

/**
 * A failure here cannot undo the commit.
 *
 * @returns for a commit with change events: resolves when they are followed
 */
export function createFollower(
  dependencies: Dependencies,
): (effects: readonly Effect[]) => Promise<void> | undefined {
  const { search, publish, onErased, checkChanges, tellNodes, log } = dependencies;

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
      attempt(() => search?.classesChanged(last));
    }
    // One frame for each class, however many changes the commit has.
    for (const [classId, some] of Map.groupBy(items, (effect) => effect.classId)) {
      attempt(() =>
        publish(
          classId,
          some.map(({ item }) => item),
        ),
      );
    }
    for (const effect of effects) attempt(() => followOne(dependencies, effect));
    if (effects.some(({ kind }) => kind === 'erased')) attempt(onErased);
    const hasEvents = effects.some(({ kind }) => kind === 'event');
    if (hasEvents || effects.some(({ kind }) => kind === 'sessionsEnded')) attempt(tellNodes);
    return hasEvents ? checkChanges() : undefined;
  };
}

function followOne(dependencies: Dependencies, effect: Effect): void {
  const { hub } = dependencies;
  switch (effect.kind) {
    case 'item':
    case 'class':
    case 'erased':
    case 'event':
      return;
    case 'sessionsEnded':
      dependencies.recentSessions.clear();
      for (const sessionId of effect.sessionIds) {
        dependencies.subscriptions.forget(sessionId);
        hub.endSession(effect.accountId, sessionId);
      }
      return;
    case 'enrolment': {
      const { accountId, classId, joined } = effect;
      dependencies.choices.setEnrolled(accountId, classId, joined);
      return hub.notifyEnrolment(accountId, classId, joined);
    }
    case 'departure':
      return forgetMember(dependencies, effect);
    case 'cases':
      dependencies.notifyModerators(effect.classId).catch((error: unknown) => {
        dependencies.log.error('publish.failed', { error });
      });
  }
}
