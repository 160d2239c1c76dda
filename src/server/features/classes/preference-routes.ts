// The calls about a member's own preferences in a class.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { hasMemberId, getMember } from '#server/chat/members/member.ts';
import type { PreferenceStore } from '#server/chat/members/preferences.ts';
import type { Hub } from '#server/live/hub.ts';
import type { Database } from '#server/store/tables.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  db: Database;
  hub: Pick<Hub, 'notifyPreferences'>;
  personaKey: KeyObject;
  preferences: Pick<PreferenceStore, 'get' | 'save'>;
}

export function registerPreferenceRoutes(
  route: Route,
  { db, hub, personaKey, preferences }: Dependencies,
): void {
  route('readPreferences', async ({ account, params: { classId } }) => {
    await getMember(db, personaKey, account.id, classId);
    return preferences.get({ classId, accountId: account.id });
  });

  route('savePreferences', async (incoming) => {
    const { commits, account, body } = incoming;
    const { classId } = incoming.params;
    const member = await getMember(db, personaKey, account.id, classId);
    if (body.ignored.some((memberId) => hasMemberId(member, memberId))) {
      throw new AppError('INVALID', 'You cannot ignore yourself.');
    }
    const owner = { classId, accountId: account.id };
    const savedPreferences = await preferences.save(commits, owner, body, (tx) =>
      getMember(tx, personaKey, account.id, classId),
    );
    hub.notifyPreferences(account.id, classId, savedPreferences);
    return savedPreferences;
  });
}
