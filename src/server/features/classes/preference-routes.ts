// The calls about a member's own preferences in a class.
import { AppError } from '#contract/errors.ts';
import { hasMemberId, getMember } from '#server/chat/members/member.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

export function registerPreferenceRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'site' | 'hub' | 'preferences'>,
): void {
  const { hub, preferences } = server;

  route('readPreferences', async ({ account, params: { classId } }) => {
    await getMember(server, account.id, classId);
    return preferences.get({ classId, accountId: account.id });
  });

  route('savePreferences', async (incoming) => {
    const { commits, account, body } = incoming;
    const { classId } = incoming.params;
    const member = await getMember(server, account.id, classId);
    if (body.ignored.some((memberId) => hasMemberId(member, memberId))) {
      throw new AppError('IGNORED_SELF');
    }
    const owner = { classId, accountId: account.id };
    const savedPreferences = await preferences.save(commits, owner, body, (unitOfWork) =>
      getMember(unitOfWork, account.id, classId),
    );
    hub.notifyPreferences(account.id, classId, savedPreferences);
    return savedPreferences;
  });
}
