export function getMetaContent(name: string, fallback: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || fallback;
}

/** Server settings, which the server adds to the page as meta tags. A page of `npm run dev` has the defaults. */
export const site = {
  appName: getMetaContent('application-name', 'Backchannel'),
  /** The languages that the app offers, the default first. */
  languages: getMetaContent('languages', 'en').split(','),
  emailDomains: getMetaContent('email-domain', 'university.edu').split(','),
  /** The Algolia application id of the hosted search, or '' for the built-in search. */
  searchApplication: getMetaContent('search-application', ''),
  /** The day since which operators can unmask people, or '' if they cannot. */
  unmaskingSince: getMetaContent('unmasking', ''),
  /** What 'Sign in with' names, or '' if only passwords sign in. */
  signOnLabel: getMetaContent('sign-on', ''),
  hasPasswords: getMetaContent('password-sign-in', 'on') === 'on',
  /** 'operators' if only they create classes. */
  classCreation: getMetaContent('class-creation', ''),
  /** The time zone of the school, such as Europe/Berlin. */
  timeZone: getMetaContent('time-zone', 'UTC'),
  version: getMetaContent('version', ''),
  /** Pages of the operator, or ''. */
  sourceUrl: getMetaContent('source-url', ''),
  imprintUrl: getMetaContent('imprint-url', ''),
  termsUrl: getMetaContent('terms-url', ''),
  /** An address or a URL, or ''. */
  supportContact: getMetaContent('support-contact', ''),
  /** The browser sent a session cookie with the request for the page. The session may have ended. */
  hasSession: getMetaContent('session', '') !== '',
};
