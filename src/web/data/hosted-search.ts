// Queries the hosted search from the browser with a key for signed-in members.
import { type LiteClient, liteClient } from 'algoliasearch/lite';
import { AppError } from '#contract/errors.ts';
import { call } from '#web/api.ts';
import type { Answer, Ask, SearchRequest } from '#web/data/search-client.ts';

let opened: Promise<LiteClient> | null = null;

export const askAlgolia: Ask = async (requests) => {
  const asked = requests.map(ofQuery);
  try {
    return await ask(await open(), asked);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The key has expired: fetch a new one.
    if (statusOf(error) !== 403) throw toAppError(error);
    opened = null;
  }
  try {
    return await ask(await open(), asked);
  } catch (error) {
    throw error instanceof AppError ? error : toAppError(error);
  }
};

function open(): Promise<LiteClient> {
  opened ??= call('searchAccess', {}).then(({ applicationId, key }) =>
    liteClient(applicationId, key),
  );
  // Clears a failed attempt, so that the next query tries again.
  opened.catch(() => (opened = null));
  return opened;
}

async function ask(client: LiteClient, requests: readonly SearchRequest[]): Promise<Answer> {
  // Disables Algolia's cache: the query client decides how long an answer stays fresh.
  await client.clearCache();
  return (await client.search([...requests] as never)) as Answer;
}

/** Splits `cs146` into `cs 146`, as the built-in index does. In Algolia these are words of two fields. */
function ofQuery(request: SearchRequest): SearchRequest {
  const { query, ...others }: { query?: string } = request.params ?? {};
  if (!query) return request;
  return {
    ...request,
    params: { ...others, query: query.replaceAll(/(?<=\p{L})(?=\p{N})/gu, ' ') },
  };
}

function statusOf(error: unknown): unknown {
  return (error as { status?: unknown } | null)?.status;
}

function toAppError(error: unknown): AppError {
  if (statusOf(error) === 429) return new AppError('TOO_MANY');
  return new AppError('INTERNAL', 'The search cannot be reached. Please try again.');
}
