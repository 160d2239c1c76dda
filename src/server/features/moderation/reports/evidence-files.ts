// The pictures of evidence. All others than the moderators of the case get 404.
import type { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { evidencePath } from '#contract/routes.ts';
import { decryptEvidence } from '#server/chat/messages/evidence.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { findReach } from '#server/chat/staff/rights.ts';
import type { Server } from '#server/feature.ts';
import { findCookieHeader } from '#server/http/route.ts';
import { sendImageFile } from '#server/pictures/routes.ts';
import { findCaseInReach } from './case-access.ts';

const evidenceFile = /^([\w-]{16})\/(([\w-]{16})(?:(?:\.small)?\.webp|\.pdf))$/;

/** Register it before the files of pictures. */
export function serveEvidenceFiles(
  app: Hono,
  server: Pick<Server, 'db' | 'site' | 'viewers' | 'callLimits' | 'images'>,
): void {
  const { site, viewers, callLimits, images } = server;

  app.get(`${evidencePath}*`, async (context) => {
    const [, caseId, name, imageId] =
      evidenceFile.exec(context.req.path.slice(evidencePath.length)) ?? [];
    if (!caseId || !name || !imageId) throw new AppError('NOT_FOUND');
    const account = await viewers.authenticate(findCookieHeader(context));
    const caller = callLimits.getCaller(context, account);
    try {
      callLimits.admit(account, caller, 'pictures');
    } catch (error) {
      await callLimits.delayRejection(error, caller);
      throw error;
    }
    if (!account) throw new AppError('NOT_FOUND');
    const reach = await findReach(server, account, 'seeQueue');
    const foundCase = await findCaseInReach(server, reach, account, caseId);
    const evidence = foundCase
      ? decryptEvidence(deriveModerationKeys(site.keys.personas).evidence, foundCase)
      : null;
    if (!evidence?.images.some((image) => image.imageId === imageId)) {
      throw new AppError('NOT_FOUND');
    }
    return sendImageFile(context, images, name);
  });
}
