// Makes a call with the input of its entry.
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { calls } from './calls.ts';
import type { Scene, Subject } from './facts.ts';

export interface Input {
  params: Record<string, string>;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

export function createInput(name: RouteName, subject: Subject): Input {
  const { messageId, questionId, query, body } = calls[name];
  const ids = {
    ...subject,
    messageId: messageId?.(subject) ?? subject.messageId,
    questionId: questionId?.() ?? subject.questionId,
  };
  const fields = [...routes[name].path.matchAll(/:(\w+)/g)].map(([, field]) => field!);
  return {
    params: Object.fromEntries(
      fields.map((field) => [field, String(ids[field as keyof typeof ids])]),
    ),
    query: query?.(subject),
    body: body?.(subject),
  };
}

/** @param file the body, instead of that of the input */
export function sendInput(
  name: RouteName,
  client: TestClient,
  { params, query, body }: Input,
  { file, headers }: { file?: Uint8Array | undefined; headers?: Record<string, string> } = {},
): Promise<Response> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  return client.fetch(toRouteUrl(name, { params, query }), {
    method: routes[name].method,
    ...((file ?? json) !== undefined && { body: (file ?? json) as BodyInit }),
    headers: {
      'content-type': file ? 'application/octet-stream' : 'application/json',
      ...headers,
    },
  });
}

/** Prepares the call of the scene's caller, so that it changes something. @returns a function that makes it */
export async function prepareCall(name: RouteName, scene: Scene): Promise<() => Promise<Response>> {
  const { prepare, createFile } = calls[name];
  const { caller } = scene;
  const { email, password } = caller;
  const input = createInput(name, { ...scene, email, password, ...(await prepare?.(scene)) });
  const file = await createFile?.();
  return () => sendInput(name, caller, input, { file });
}
