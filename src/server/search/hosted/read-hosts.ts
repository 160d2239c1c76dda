/** The hosts that Algolia's client queries from a browser. The content security policy allows only these. */
export function readHosts(applicationId: string): string[] {
  const id = applicationId.toLowerCase();
  const fallbacks = [1, 2, 3].map((n) => `https://${id}-${n}.algolianet.com`);
  return [`https://${id}-dsn.algolia.net`, ...fallbacks];
}
