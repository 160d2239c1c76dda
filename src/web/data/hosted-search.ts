// The search of a hosted application, asked from here with a key for those who are signed in.
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
    // The key has had its day: there is another one.
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
  // One that failed is no answer to the next question.
  opened.catch(() => (opened = null));
  return opened;
}

async function ask(client: LiteClient, requests: readonly SearchRequest[]): Promise<Answer> {
  // How long an answer stays good is decided in one place, which is not this one.
  await client.clearCache();
  return (await client.search([...requests] as never)) as Answer;
}

/** `cs146` is `cs 146`, as our own index has it: to Algolia these are words of two fields. */
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
