// Queries the hosted search from the browser with a key for signed-in members.
import { type LiteClient, liteClient } from 'algoliasearch/lite';
import type { SearchRequest } from '#contract/class-search.ts';
import { RefusedError, createRefusal } from '#web/refused-error.ts';
import type { CallReply } from '#contract/http.ts';
import { call } from '#web/api.ts';

let clientPromise: Promise<LiteClient> | null = null;

export async function searchAlgolia(
  requests: readonly SearchRequest[],
): Promise<CallReply<'searchClasses'>> {
  const asked = requests.map(splitCodes);
  try {
    return await sendQuery(await getClient(), asked);
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    // The key has expired: fetch a new one.
    if (statusOf(error) !== 403) throw toRefusal(error);
    clientPromise = null;
  }
  try {
    return await sendQuery(await getClient(), asked);
  } catch (error) {
    throw error instanceof RefusedError ? error : toRefusal(error);
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

function statusOf(error: unknown): unknown {
  return (error as { status?: unknown } | null)?.status;
}

function toRefusal(error: unknown): RefusedError {
  if (statusOf(error) === 429) return createRefusal('TOO_MANY');
  return new RefusedError('INTERNAL', 'The search cannot be reached. Please try again.');
}
