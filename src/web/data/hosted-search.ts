// Queries the hosted search from the browser with a key for signed-in members.
import { type LiteClient, liteClient } from 'algoliasearch/lite';
import type { SearchRequest } from '#contract/class-search.ts';
import { RejectedError, createRejectedError } from '#web/rejected-error.ts';
import type { CallReply } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { getText } from '#web/get-text.ts';

let clientPromise: Promise<LiteClient> | null = null;

export async function searchAlgolia(
  requests: readonly SearchRequest[],
): Promise<CallReply<'searchClasses'>> {
  const splitRequests = requests.map(splitCodes);
  try {
    return await sendQuery(await getClient(), splitRequests);
  } catch (error) {
    if (error instanceof RejectedError) throw error;
    // The key has expired: fetch a new one.
    if (getStatus(error) !== 403) throw toRejectedError(error);
    clientPromise = null;
  }
  try {
    return await sendQuery(await getClient(), splitRequests);
  } catch (error) {
    throw error instanceof RejectedError ? error : toRejectedError(error);
  }
}

function getClient(): Promise<LiteClient> {
  clientPromise ??= call('searchAccess', {}).then(({ applicationId, key }) =>
    liteClient(applicationId, key),
  );
  // Clears a failed attempt, so that the next query tries again.
  clientPromise.catch(() => (clientPromise = null));
  return clientPromise;
}

async function sendQuery(
  client: LiteClient,
  requests: readonly SearchRequest[],
): Promise<CallReply<'searchClasses'>> {
  // Disables Algolia's cache: the query client decides how long an answer stays fresh.
  await client.clearCache();
  return (await client.search([...requests] as never)) as CallReply<'searchClasses'>;
}

/** Splits `cs146` into `cs 146`, as the built-in index does. In Algolia these are words of two fields. */
function splitCodes(request: SearchRequest): SearchRequest {
  return { ...request, query: request.query?.replaceAll(/(?<=\p{L})(?=\p{N})/gu, ' ') };
}

function getStatus(error: unknown): unknown {
  return (error as { status?: unknown } | null)?.status;
}

function toRejectedError(error: unknown): RejectedError {
  if (getStatus(error) === 429) return createRejectedError('TOO_MANY');
  return new RejectedError('INTERNAL', getText('data.search.unreachable'));
}
