// Deep linking 2.0: an instructor adds a link to a course on the platform, and picks its class here. Only a form that the platform's
// frame sends reaches the page around it, and picking happens in a window of its own. So the frame waits for the class.
import type { Context } from 'hono';
import type { JWTPayload } from 'jose';
import { toClassLabel } from '#contract/class-label.ts';
import { coursePath, ltiAnswerPath } from '#contract/lti.ts';
import type { SealedCookies } from '#server/accounts/sealed-cookies.ts';
import { getText } from '#server/base/get-text.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Server } from '#server/feature.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { createCookies, findLinkedClass } from './course.ts';
import { claim, linkingClaim, type ReturnPlace } from './launch.ts';
import {
  findPendingAnswer,
  savePendingAnswer,
  type CourseKey,
  type PlatformRow,
} from './lti-queries.ts';
import { Rejection, sendPage } from './pages.ts';
import { signClaims } from './tool-keys.ts';

type AnswerServer = Pick<Server, 'config' | 'keys' | 'db' | 'commits'>;

/** The frame, or the window, that brings the platform its answer. It is in the address, sealed. */
interface AnswerTicket {
  frameToken: string;
  platformId: string;
  /** The address that opens a window. Null if no frame waits. */
  windowUrl: string | null;
}

interface PendingAnswer {
  course: CourseKey;
  returnPlace: ReturnPlace;
}

/** Long enough to create a class. */
const waitMs = 60 * 60_000; // LTI-13
const tokenSeconds = 300;

export function toAnswerUrl(cookies: SealedCookies, ticket: AnswerTicket): string {
  return `${ltiAnswerPath}?token=${cookies.seal('answer', ticket, waitMs)}`;
}

/** Leaves for the frame where the platform waits, and for which course. Only the holder of the token finds it. */
export async function saveReturnPlace(
  db: DatabaseTransaction,
  { lti: key }: Pick<Server['keys'], 'lti'>,
  frameToken: string,
  pendingAnswer: PendingAnswer,
): Promise<void> {
  const content = seal(key, JSON.stringify(pendingAnswer), { context: `answer ${frameToken}` });
  await savePendingAnswer(db, frameToken, content);
}

/** Sends the link to the platform if the course has a class. Until then, the frame waits. @throws {Rejection} */
export async function sendAnswer(
  context: Context,
  server: AnswerServer,
  platforms: readonly PlatformRow[],
): Promise<Response> {
  const { config, db, keys } = server;
  const ticket = createCookies(server).open<AnswerTicket>('answer', context.req.query('token'));
  const platform = platforms.find(({ platformId }) => platformId === ticket?.platformId);
  if (!ticket || !platform) throw new Rejection('expired', 'answer');
  const { frameToken, windowUrl } = ticket;
  const content = await findPendingAnswer(db, frameToken);
  const pendingAnswer =
    content === null
      ? null
      : (JSON.parse(unseal(keys.lti, content, `answer ${frameToken}`)) as PendingAnswer);
  const linkedClass = pendingAnswer && (await findLinkedClass(server, pendingAnswer.course));
  if (pendingAnswer && linkedClass?.status === 'active') {
    // It can be sent again: a frame loads again, or loses the reply.
    const claims = toClaims(pendingAnswer, toClassLabel(linkedClass), platform, config.publicUrl);
    const token = await signClaims(server, claims);
    return sendPage(context, config, (language) => ({
      text: getText(language, 'lti.answer.text'),
      form: { action: pendingAnswer.returnPlace.deep_link_return_url, fields: { JWT: token } },
      framedBy: platform.origin,
    }));
  }
  if (windowUrl === null) throw new Rejection('expired', 'answer');
  return sendPage(context, config, (language) => ({
    text: getText(language, 'lti.window.text'),
    link: windowUrl,
    isWaiting: true,
    framedBy: platform.origin,
  }));
}

/** The link leads to the page of the course, which knows its class: a copied course must not lead to last term's. */
function toClaims(
  { course, returnPlace: { data } }: PendingAnswer,
  title: string,
  { issuer, clientId }: PlatformRow,
  { origin }: URL,
): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: clientId,
    aud: issuer,
    iat: now,
    exp: now + tokenSeconds,
    nonce: createRandomId(32),
    [claim('message_type')]: 'LtiDeepLinkingResponse',
    [claim('version')]: '1.3.0',
    [claim('deployment_id')]: course.deploymentId,
    [linkingClaim('content_items')]: [
      {
        type: 'ltiResourceLink',
        title,
        url: `${origin}${coursePath}`,
        window: { targetName: '_blank' },
        // Tells a copied course from one that was never linked.
        custom: { class: 'linked' },
      },
    ],
    ...(data !== undefined && { [linkingClaim('data')]: data }),
  };
}
