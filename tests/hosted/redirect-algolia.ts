// Redirects a process's requests for Algolia's hosts to a server on loopback.
import http, { type RequestOptions } from 'node:http';
import https from 'node:https';

const ofAlgolia = /^[a-z0-9-]+\.(algolia\.net|algolianet\.com)$/i;
const request = https.request;

/** @returns a function that undoes it */
export function redirectAlgoliaTo(port: number): () => void {
  https.request = ((options: RequestOptions, ...args: never[]) => {
    const host = options.hostname ?? '';
    if (!ofAlgolia.test(host)) return request(options, ...args);
    const led = { ...options, hostname: '127.0.0.1', port, agent: undefined };
    return http.request(led, ...args);
  }) as typeof https.request;
  return () => {
    https.request = request;
  };
}
