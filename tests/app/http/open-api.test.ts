// The descriptions of the calls and frames for programs.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { listRegisteredCalls } from '#tests/support/registered-calls.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
const load = async (path: string) => (await fetch(`${app.origin}${path}`)).json();

interface Operation {
  operationId: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean }[];
  'x-rate-limit'?: string;
}

test('the OpenAPI description is valid and has each registered call [HTTP-57]', async () => {
  const description = await load('/api/openapi.json');

  expect(await new Validator().validate(description)).toEqual({ valid: true });
  const operations = Object.values<Record<string, Operation>>(description.paths).flatMap((path) =>
    Object.values(path),
  );
  const calls = operations.map((operation) => ({
    name: operation.operationId,
    access: operation.security.length > 0 ? 'signedIn' : 'public',
    rate: operation['x-rate-limit'],
  }));
  const byName = (first: { name: string }, second: { name: string }) =>
    first.name < second.name ? -1 : 1;
  const registered = listRegisteredCalls()
    .filter(({ name }) => name in routes)
    .map(({ name, access, rate }) => ({ name, access, rate }));
  // Without a provider or a hosted search, their calls are not registered.
  const names = new Set(calls.map(({ name }) => name));
  expect(names.size).toBeGreaterThan(80);
  expect(calls.toSorted(byName)).toEqual(
    registered.filter(({ name }) => names.has(name)).toSorted(byName),
  );
});

test('each parameter of a path is described, and the errors are listed [HTTP-57]', async () => {
  const description = await load('/api/openapi.json');

  for (const [path, operations] of Object.entries<Record<string, Operation>>(description.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(operations)) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name, required }) => [name, required]).toSorted()).toEqual(
        names.map((name) => [name, true]).toSorted(),
      );
    }
  }
  const { code } = description.components.schemas.Error.properties;
  expect(code.enum).toEqual(expect.arrayContaining(['INVALID', 'NOT_ALLOWED', 'CLASS_ENDED']));
});

test('the frames of the socket are described [HTTP-57]', async () => {
  const { client, server } = await load('/api/socket.json');

  const listTypes = ({ oneOf }: { oneOf: { properties: { type: { const: string } } }[] }) =>
    oneOf.map(({ properties }) => properties.type.const);
  expect(listTypes(client)).toEqual(expect.arrayContaining(['subscribe', 'post', 'react']));
  expect(listTypes(server)).toEqual(expect.arrayContaining(['events', 'ack', 'nack']));
});
