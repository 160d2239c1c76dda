// Describes the calls and the frames of the socket for programs: OpenAPI 3.1 and JSON Schema, made from the contract.
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { Hono } from 'hono';
import { z } from 'zod';
import { errors } from '#contract/errors.ts';
import { calls } from '#contract/http.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { clientFrame, serverFrame } from '#contract/socket.ts';
import { version } from '#server/base/version.ts';
import type { CallLimits } from './call-limits.ts';
import { sendStaticFile, toStaticFile, type StaticFile } from './static-file.ts';

interface Site {
  appName: string;
  /** The name of the cookie with the session. */
  sessionCookie: string;
}

/** @param callLimits counts everyone as a caller who is not signed in */
export function serveDescriptions(app: Hono, callLimits: CallLimits, site: Site): void {
  const descriptions = {
    '/api/openapi.json': () => describeCalls(site),
    '/api/socket.json': describeFrames,
  };
  for (const [path, describe] of Object.entries(descriptions)) {
    let file: Promise<StaticFile> | null = null;
    app.get(path, async (context) => {
      callLimits.admit(null, callLimits.getCaller(context, null));
      file ??= compress(JSON.stringify(describe()));
      const caching = { 'cache-control': 'no-cache', vary: 'accept-encoding' };
      return sendStaticFile(context, await file, caching);
    });
  }
}

async function compress(json: string): Promise<StaticFile> {
  const content = new TextEncoder().encode(json);
  const brotli = new Uint8Array(await promisify(brotliCompress)(content));
  return toStaticFile('application/json', content, brotli);
}

function describeCalls({ appName, sessionCookie }: Site) {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of Object.keys(calls) as RouteName[]) {
    const { method, path } = routes[name];
    const openPath = path.replace('*', ':index').replaceAll(/:(\w+)/g, '{$1}');
    paths[openPath] = { ...paths[openPath], [method.toLowerCase()]: describeCall(name) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: appName,
      version,
      description:
        'The calls of the app’s own browser code. They can change with each version. A call that changes something needs the header Origin with the address of the site.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
      schemas: { Error: describeErrors() },
      responses: {
        Error: {
          description: 'An error with its code and a sentence for the user.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

function describeCall(name: RouteName) {
  const { who, limit, takesFile, ...schemas } = calls[name];
  const pathNames = [...routes[name].path.matchAll(/:(\w+)/g)].map(([, param = '']) => param);
  if (routes[name].path.includes('*')) pathNames.push('index');
  return {
    operationId: name,
    parameters: [
      ...listParameters('path', schemas.params, pathNames),
      ...listParameters('query', schemas.query, []),
    ],
    ...(schemas.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toJsonSchema(schemas.body, 'input') } },
      },
    }),
    ...(takesFile && {
      requestBody: { required: true, content: { 'application/octet-stream': {} } },
    }),
    responses: {
      '200': {
        description: 'Done.',
        content: { 'application/json': { schema: toJsonSchema(schemas.reply, 'output') } },
      },
      '4XX': { $ref: '#/components/responses/Error' },
      '5XX': { $ref: '#/components/responses/Error' },
    },
    security: who === 'anyone' || who === 'holder' ? [] : [{ session: [] }],
    ...(limit && { 'x-rate-limit': limit }),
  };
}

interface ObjectSchema {
  properties?: Record<string, object>;
  required?: string[];
}

function listParameters(place: 'path' | 'query', schema: z.ZodType | undefined, names: string[]) {
  const { properties = {}, required = [] }: ObjectSchema = schema
    ? toJsonSchema(schema, 'input')
    : {};
  const allNames = new Set([...names, ...Object.keys(properties)]);
  return [...allNames].map((name) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: properties[name] ?? { type: 'string' },
  }));
}

function describeErrors() {
  return {
    type: 'object',
    properties: {
      code: { enum: Object.keys(errors) },
      message: { type: 'string' },
      reason: { type: 'string', description: 'Which of the sentences of this code it is.' },
      retryAfterMs: {
        type: 'integer',
        description: 'The shortest wait before another try, in milliseconds.',
      },
    },
    required: ['code', 'message'],
  };
}

function describeFrames() {
  return {
    title: 'Frames of the WebSocket at /live',
    client: toJsonSchema(clientFrame, 'input'),
    server: toJsonSchema(serverFrame, 'output'),
  };
}

/** Checks that only code makes, such as of characters, are left out. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json as ObjectSchema & object;
}
