// The calls about classes, their members and their messages.
import type { z } from 'zod';
import type { Http } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import {
  checkMayCreate,
  createClass,
  getClassDetails,
  listMyClasses,
} from '#server/chat/classes/classes.ts';
import {
  getHistory,
  getHistoryAround,
  getHistoryFrom,
  getPicturePage,
  findSeqAtTime,
  type HistoryPage,
} from '#server/chat/messages/history.ts';
import { getMember } from '#server/chat/members/member.ts';
import { getVotedDigits } from '#server/chat/votes/votes.ts';
import { checkMayJoin, joinClass, leaveClass } from '#server/chat/members/joining.ts';
import { changePersona } from '#server/chat/members/personas.ts';
import type { Database } from '#server/store/tables.ts';
import { listPersonasAfter } from '#server/chat/members/personas-queries.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

type ClassServer = Pick<Server, 'config' | 'db' | 'site' | 'memberships'>;

export function registerClassRoutes(route: Route, server: ClassServer): void {
  registerClassListRoutes(route, server);
  registerEnrollmentRoutes(route, server);
  registerPersonaRoutes(route, server);
  registerHistoryRoutes(route, server);
}

function registerClassListRoutes(route: Route, server: ClassServer): void {
  const { config, memberships } = server;

  route('listClasses', async ({ account }) => ({
    classes: await listMyClasses(server, memberships, account.id),
  }));

  route('createClass', async ({ commits, account, body }) => {
    const created = await commits.write(
      async (unitOfWork) => {
        await checkMayCreate(unitOfWork, account, config);
        return createClass(unitOfWork, memberships, account.id, body);
      },
      { accountId: account.id },
    );
    return { class: created };
  });

  route('readClass', async ({ account, params }) =>
    getClassDetails(server, account.id, params.classId),
  );
}

function registerEnrollmentRoutes(route: Route, { memberships }: ClassServer): void {
  route('joinClass', async ({ commits, account, params: { classId } }) => {
    const joinedClass = await commits.write(
      async (unitOfWork) => {
        await checkMayJoin(unitOfWork, account.id, classId);
        return joinClass(unitOfWork, memberships, account.id, classId);
      },
      { classId, accountId: account.id },
    );
    return { class: joinedClass };
  });

  route('leaveClass', async ({ commits, account, params: { classId } }) => {
    await commits.write((unitOfWork) => leaveClass(unitOfWork, account.id, classId), {
      classId,
      accountId: account.id,
    });
    return {};
  });
}

function registerPersonaRoutes(route: Route, server: ClassServer): void {
  const { config, db } = server;

  route('listMembers', async ({ account, params: { classId }, query }) => {
    const { persona } = await getMember(server, account.id, classId);
    const limit = limits.membersPage;
    const foundPersonas = await listPersonasAfter(
      db,
      classId,
      query.afterMemberId ?? '',
      limit + 1,
    );
    const personas = foundPersonas.slice(0, limit);
    const nextAfter = foundPersonas.length > limit ? (personas.at(-1)?.memberId ?? null) : null;
    return { me: persona, personas, nextAfter };
  });

  route('changePersona', async ({ commits, account, params, body }) => {
    const { classId } = params;
    const actor = { accountId: account.id, classId };
    const persona = await commits.write(
      (unitOfWork) => changePersona(unitOfWork, actor, body, config.appName),
      { classId },
    );
    return { persona };
  });
}

function registerHistoryRoutes(route: Route, server: ClassServer): void {
  const { db } = server;

  route('listMessages', async ({ account, params: { classId }, query }) => {
    const member = await getMember(server, account.id, classId);
    const historyPage = await getSelectedPage(db, classId, member.head, query);
    const questions = historyPage.messages.filter(({ question }) => question);
    const voted = await getVotedDigits(server, member, account.id, questions);
    return { ...historyPage, voted };
  });

  route('listPictures', async ({ account, params: { classId }, query }) => {
    const { head } = await getMember(server, account.id, classId);
    return getPicturePage(db, classId, Math.min(query.before ?? Infinity, head + 1));
  });
}

type Selection = z.output<Http['listMessages']['query']>;

async function getSelectedPage(
  db: Database,
  classId: string,
  head: number,
  { before, after, around, since, limit, topicId }: Selection,
): Promise<HistoryPage> {
  const size = { limit, maxBytes: limits.historyPageBytes, topicId };
  if (around !== undefined) return getHistoryAround(db, classId, around, size);
  if (after !== undefined) return getHistoryFrom(db, classId, after + 1, size);
  if (since !== undefined) {
    return getHistoryFrom(db, classId, await findSeqAtTime(db, classId, head, since), size);
  }
  return getHistory(db, classId, before ?? Number.MAX_SAFE_INTEGER, size);
}
