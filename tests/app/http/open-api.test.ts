// The descriptions of the calls and frames for programs.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { calls, type Call } from '#contract/http.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
const load = async (path: string) => (await fetch(`${app.origin}${path}`)).json();

type Parameter = Record<'name' | 'in', string> & { required: boolean };

interface Operation {
  operationId: string;
  security: object[];
  parameters: Parameter[];
  'x-rate-limit'?: string;
}

test('the OpenAPI description is valid and has each registered call [HTTP-57]', async () => {
  const description = await load('/api/openapi.json');

  expect(await new Validator().validate(description)).toEqual({ valid: true });
  const operations = Object.values<Record<string, Operation>>(description.paths).flatMap((path) =>
    Object.values(path),
  );
  const described = operations.map((operation) => ({
    name: operation.operationId,
    access: operation.security.length > 0 ? 'signedIn' : 'public',
    rate: operation['x-rate-limit'],
  }));
  const registered = Object.entries<Call>(calls).map(([name, { who, limit }]) => ({
    name,
    access: who === 'anyone' || who === 'holder' ? 'public' : 'signedIn',
    rate: limit,
  }));
  expect(new Set(described.map(({ name }) => name)).size).toBeGreaterThan(80);
  expect(new Set(described.map((call) => JSON.stringify(call)))).toEqual(
    new Set(registered.map((call) => JSON.stringify(call))),
  );
});

test('each parameter of a path is described, and the errors are listed [HTTP-57]', async () => {
  const description = await load('/api/openapi.json');

  for (const [path, operations] of Object.entries<Record<string, Operation>>(description.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(operations)) {
      const pathParameters = parameters.filter((parameter) => parameter.in === 'path');
      expect(new Set(pathParameters.map(({ name }) => name))).toEqual(new Set(names));
      expect(pathParameters.every(({ required }) => required)).toBe(true);
    }
  }
  const { code } = description.components.schemas.Error.properties;
  expect(code.enum).toEqual(expect.arrayContaining(['INVALID', 'NOT_ALLOWED', 'CLASS_ENDED']));
});

test('a description is compressed, and sent once to a program that keeps it [HTTP-57]', async () => {
  const request = (headers: Record<string, string>) =>
    fetch(`${app.origin}/api/openapi.json`, { headers: { 'accept-encoding': 'br', ...headers } });

  const reply = await request({});
  const etag = reply.headers.get('etag') ?? '';
  const repeatedReply = await request({ 'if-none-match': etag });

  expect(reply.headers.get('content-encoding')).toBe('br');
  expect(await reply.json()).toMatchObject({ openapi: '3.1.1' });
  expect([repeatedReply.status, await repeatedReply.text()]).toEqual([304, '']);
});

test('the frames of the socket are described [HTTP-57]', async () => {
  const { client, server } = await load('/api/socket.json');

  const listTypes = ({ oneOf }: { oneOf: { properties: { type: { const: string } } }[] }) =>
    oneOf.map(({ properties }) => properties.type.const);
  expect(listTypes(client)).toEqual(expect.arrayContaining(['subscribe', 'post', 'react']));
  expect(listTypes(server)).toEqual(expect.arrayContaining(['events', 'ack', 'nack']));
});
