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
  /** The browser sent a session cookie with the request for the page. The session may have ended. */
  hasSession: metaContent('session', '') !== '',
};
