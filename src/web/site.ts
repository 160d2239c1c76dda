function metaContent(name: string, fallback: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || fallback;
}

/** Server settings that index.html carries in meta tags. */
export const site = {
  appName: metaContent('application-name', 'Backchannel'),
  emailDomains: metaContent('email-domain', 'university.edu').split(','),
  /** The Algolia application id of the hosted search, or '' for the built-in search. */
  searchApplication: metaContent('search-application', ''),
  /** The day since which operators can unmask people, or '' if they cannot. */
  unmaskingSince: metaContent('unmasking', ''),
  /** What 'Sign in with' names, or '' if only passwords sign in. */
  signOnLabel: metaContent('sign-on', ''),
  hasPasswords: metaContent('password-sign-in', 'on') === 'on',
  /** 'operators' if only they create classes. */
  classCreation: metaContent('class-creation', ''),
  version: metaContent('version', ''),
  /** Pages of the operator, or ''. */
  sourceUrl: metaContent('source-url', ''),
  imprintUrl: metaContent('imprint-url', ''),
  termsUrl: metaContent('terms-url', ''),
  /** An address or a URL, or ''. */
  supportContact: metaContent('support-contact', ''),
  /** The browser sent a session cookie with the request for the page. The session may have ended. */
  hasSession: metaContent('session', '') !== '',
};
