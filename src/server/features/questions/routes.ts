// The list of the questions of a class.
import { limits } from '#contract/limits.ts';
import { getMember } from '#server/chat/members/member.ts';
import { takePage } from '#server/chat/messages/history.ts';
import { getVotedDigits } from '#server/chat/votes/votes.ts';
import { listNewestQuestions } from '#server/chat/questions/questions-queries.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

export function registerQuestionRoutes(route: Route, server: Pick<Server, 'db' | 'site'>): void {
  const { db } = server;

  route('listQuestions', async ({ account, params: { classId } }) => {
    const member = await getMember(server, account.id, classId);
    const newest = await listNewestQuestions(db, classId, limits.listedQuestions + 1);
    const candidates = newest.slice(0, limits.listedQuestions);
    const page = await takePage(db, classId, candidates, limits.listedQuestionsBytes);
    return {
      questions: page.messages,
      personas: page.personas,
      hasOlder: page.messages.length < newest.length,
      voted: await getVotedDigits(server, member, account.id, page.messages),
    };
  });
}
