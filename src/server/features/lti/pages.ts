// The pages that a browser gets on its way here or back: in a frame of the platform, and if a launch is rejected. The app never runs
// in a frame, and the only scripts are two constant lines.
import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { getText } from '#server/base/get-text.ts';
import type { Config } from '#server/config/config-types.ts';
import { chooseLanguage, isRightToLeft } from '#server/http/choose-language.ts';

/** The key of the text that says what to do, after 'lti.rejected.'. */
type RejectionText =
  | 'expired'
  | 'invitation'
  | 'noCourse'
  | 'platform'
  | 'rejected'
  | 'testUser'
  | 'unavailable';

/** Rejects a launch or a registration. It must not be thrown in a commit, which would log it as an error. */
export class Rejection extends Error {
  override name = 'Rejection';
  readonly text: RejectionText;
  /** What the log says: never what the platform said. */
  readonly reason: string;

  constructor(text: RejectionText, reason: string) {
    super(reason);
    this.text = text;
    this.reason = reason;
  }
}

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 12vh auto; padding: 0 24px; }
h1 { margin: 0 0 8px; font-size: 1.375rem; font-weight: 600; }
a { display: inline-block; margin-top: 8px; padding: 10px 16px; border-radius: 10px; background: CanvasText; color: Canvas; font-weight: 500; text-decoration: none; }
a:focus-visible { outline: 2px solid CanvasText; outline-offset: 2px; }`;

/** Ends a registration: the platform closes its frame. */
const closeScript =
  "(window.opener ?? window.parent).postMessage({ subject: 'org.imsglobal.lti.close' }, '*');";
const submitScript = 'document.forms[0].submit();';

interface Page {
  title?: string;
  text: string;
  /** Opens a window of its own. */
  link?: string;
  /** Loads the page again every few seconds. */
  isWaiting?: boolean;
  /** Sends itself. */
  form?: { action: string; fields: Readonly<Record<string, string>> };
  closesItself?: boolean;
  /** The origin whose pages may frame this page. */
  framedBy?: string;
  status?: 200 | 400 | 503;
}

/** Answers with a page in the language of its reader. */
export function sendPage(
  context: Context,
  { appName, languages }: Pick<Config, 'appName' | 'languages'>,
  toPage: (language: string) => Page,
): Response | Promise<Response> {
  const language = chooseLanguage(context.req.raw.headers, languages);
  const page = toPage(language);
  const { title = appName, text, link, isWaiting, form, framedBy, status = 200 } = page;
  const script = form ? submitScript : page.closesItself && closeScript;
  const hash = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${script ? hash(script) : "'none'"}`,
    `form-action ${form ? new URL(form.action).origin : "'none'"}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy ?? "'none'"}`,
  ];
  context.header('content-security-policy', policy.join('; '));
  if (framedBy !== undefined) {
    const { outgoing } = context.env as HttpBindings;
    outgoing.removeHeader('x-frame-options');
    // A platform that opened a window waits for what this page tells it.
    outgoing.removeHeader('cross-origin-opener-policy');
  }
  const direction = isRightToLeft(language) ? 'rtl' : 'ltr';
  const open = getText(language, 'lti.window.open');
  return context.html(
    html`<!doctype html>
      <html lang="${language}" dir="${direction}">
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        ${isWaiting ? raw('<meta http-equiv="refresh" content="4" />') : ''}
        <title>${title}</title>
        ${raw(`<style>${style}</style>`)}
        <h1>${title}</h1>
        <p>${text}</p>
        ${link ? html`<a href="${link}" target="_blank" rel="noopener">${open}</a>` : ''}
        ${form ? toForm(form, getText(language, 'lti.answer.button')) : ''}
        ${script ? raw(`<script>${script}</script>`) : ''}
      </html>`,
    status,
  );
}

function toForm({ action, fields }: NonNullable<Page['form']>, label: string) {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="post" action="${action}">${inputs}<button>${label}</button></form>`;
}

export function sendRejection(context: Context, config: Config, { text }: Rejection) {
  return sendPage(context, config, (language) => ({
    title: getText(language, 'lti.rejected.title'),
    text: getText(language, `lti.rejected.${text}`),
    status: text === 'unavailable' ? 503 : 400,
  }));
}
