import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { imagesPath } from '#contract/routes.ts';
import { AppError } from '#contract/errors.ts';
import { downloadsAtOnce } from '#contract/limits.ts';
import type { Accounts } from '#server/accounts/accounts.ts';
import type { Images } from './images.ts';
import { toContentType } from '#server/chat/attachments/attachment-queries.ts';
import type { CallLimits } from '#server/http/call-limits.ts';
import { findCookieHeader, type Route } from '#server/http/route.ts';

export function registerImageRoutes(route: Route, images: Images): void {
  route('uploadImage', async ({ commits, account, params, query, request }) =>
    images.upload(commits, account.id, params.classId, request, query.as === 'staff'),
  );

  route('deleteImage', async ({ commits, account, params }) => {
    await images.discard(commits, account.id, params.classId, params.imageId);
    return {};
  });
}

/**
 * Prevents a browser from treating a picture as a page or a script. Use it before all other guards.
 */
export function setImageSecurityHeaders(app: Hono): void {
  app.use(`${imagesPath}*`, async (context, next) => {
    await next();
    const { headers } = context.res;
    headers.set('content-security-policy', "default-src 'none'; sandbox");
    headers.set('cross-origin-resource-policy', 'same-origin');
    headers.set('x-content-type-options', 'nosniff');
  });
}

const imageName = /^([\w-]{16})(?:(?:\.small)?\.webp|\.pdf)$/;

/** Serves the files of pictures and PDFs. Only members of the class get a file. All other callers get 404. */
export function serveImageFiles(
  app: Hono,
  accounts: Pick<Accounts, 'authenticate'>,
  callLimits: CallLimits,
  images: Images,
): void {
  /** The number of files that each account loads now. Each download keeps a file open, and buffers in memory. */
  const downloads = new Map<string, number>();

  /** @throws {AppError} TOO_MANY */
  function countDownload(accountId: string, { outgoing }: HttpBindings): void {
    const activeDownloads = downloads.get(accountId) ?? 0;
    if (activeDownloads >= downloadsAtOnce) throw new AppError('TOO_MANY'); // LIMIT-27
    downloads.set(accountId, activeDownloads + 1);
    outgoing.once('close', () => {
      const remaining = (downloads.get(accountId) ?? 1) - 1;
      if (remaining > 0) downloads.set(accountId, remaining);
      else downloads.delete(accountId);
    });
  }

  app.get(`${imagesPath}*`, async (context) => {
    const name = context.req.path.slice(imagesPath.length);
    const imageId = imageName.exec(name)?.[1];
    if (!imageId) throw new AppError('NOT_FOUND');
    const account = await accounts.authenticate(findCookieHeader(context));
    const caller = callLimits.getCaller(context, account);
    try {
      callLimits.admit(account, caller, 'pictures'); // LIMIT-24
      if (account) countDownload(account.id, context.env as HttpBindings);
    } catch (error) {
      await callLimits.delayRejection(error, caller);
      throw error;
    }
    if (!account) throw new AppError('NOT_FOUND');
    await images.checkMaySee(account.id, imageId);
    return sendImageFile(context, images, name);
  });
}

/** Sends a file. The caller must have checked that the account may see the picture. @throws {AppError} NOT_FOUND */
export async function sendImageFile(
  context: Context,
  images: Images,
  name: string,
): Promise<Response> {
  const file = await images.open(name);
  if (!file) throw new AppError('NOT_FOUND');
  const contentType = toContentType(name);
  const headers = {
    'cache-control': 'no-store', // HTTP-10
    'content-type': contentType,
    'content-length': String(file.bytes),
    // A PDF is downloaded, because this origin must not show what members send. PDF-15
    'content-disposition':
      contentType === 'application/pdf' ? 'attachment; filename="document.pdf"' : 'inline',
  };
  if (context.req.method !== 'HEAD') return context.body(file.content, 200, headers);
  await file.content.cancel();
  return context.body(null, 200, headers);
}
