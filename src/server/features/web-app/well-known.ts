// The files and addresses that other programs look for at a fixed place.
import type { Hono } from 'hono';
import { toContactUrl } from '#contract/contact-url.ts';
import { AppError } from '#contract/errors.ts';

const yearMs = 365 * 24 * 60 * 60_000;
/** Search engines find the sign-in page, the privacy page and the form for reports from outside, and nothing of a class. */
const robots = `User-agent: *
Allow: /signin
Allow: /privacy
Allow: /report
Disallow: /
`;

interface Settings {
  origin: string;
  /** An address, or the URL of a page. */
  supportContact: string | null;
}

export function serveWellKnown(app: Hono, { origin, supportContact }: Settings): void {
  const sendText = (text: string) =>
    new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  // The next start moves the end (RFC 9116).
  const expires = new Date(Date.now() + yearMs).toISOString();

  app.get('/robots.txt', () => sendText(robots));
  // Password managers lead here.
  app.get('/.well-known/change-password', (context) => context.redirect('/profile', 302));
  app.get('/.well-known/security.txt', () => {
    if (supportContact === null) throw new AppError('NOT_FOUND');
    return sendText(
      `Contact: ${toContactUrl(supportContact)}\nExpires: ${expires}\nCanonical: ${origin}/.well-known/security.txt\n`,
    );
  });
}
