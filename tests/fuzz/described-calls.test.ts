// Reads the description of the calls as a stranger's program would, and sends each call what it describes and what it
// does not: limits, wrong types, huge texts and strange characters, from a visitor, a student and an operator.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import { areAllCasesTested } from '#tests/calls/changes.ts';
import { nothing, unknownId } from '#tests/calls/facts.ts';
import { createInput } from '#tests/calls/make-call.ts';
import { grantRole, listCases, report } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { listVariants, listParameterTexts, type Schema } from './described-values.ts';
import type { Json } from './valid-values.ts';

type Parameter = Record<'name' | 'in', string> & { schema: Schema };

interface Operation {
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: { '200': { content: { 'application/json': { schema: object } } } };
}

interface Description {
  paths: Record<string, Record<string, Operation & { operationId: RouteName }>>;
  components: { schemas: { Error: object } };
}

interface Request {
  path: string;
  body: Json | undefined;
}

/** The step between the values that are sent: the long form sends all. */
const share = areAllCasesTested ? 1 : 30;
const app = setUpApp({ UNMASKING: 'on' });
let description: Description;
let isError: ValidateFunction;
let scene: Scene;
const schemas = new Ajv2020({ strict: false, validateFormats: false });

beforeAll(async () => {
  description = (await (await fetch(`${app.origin}/api/openapi.json`)).json()) as Description;
  isError = schemas.compile(description.components.schemas.Error);
});

function findOperation(name: RouteName) {
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (operation.operationId === name) return { path, method: method.toUpperCase(), operation };
    }
  }
  throw new Error(`${name} is not described.`);
}

/** A call can end sessions, and remove the class or the report. */
beforeEach(async () => {
  if (!scene || !(await isWhole(scene))) scene = await createScene();
});

async function isWhole({ student, operator, classId, ids }: Scene): Promise<boolean> {
  const context = await operator.fetch(toRouteUrl('readCaseContext', { params: ids }));
  const settings = await student.fetch(toRouteUrl('readClassSettings', { params: { classId } }));
  return context.ok && settings.ok && !(await settings.text()).includes('"readOnly":true');
}

/** A class with a message and a report, in which the callers are. */
async function createScene() {
  const author = await app.createStudent();
  const student = await app.createStudent();
  const operator = await app.createStudent();
  await grantRole(app, operator, null, 'Olga');
  const classId = await author.createClass();
  for (const member of [student, operator]) await member.join(classId);
  const { id: messageId } = await author.post(classId, 'Reported');
  await report(student, classId, { messageId });
  const openCase = (await listCases(operator, { classId }))[0]!;
  const { memberId } = openCase.persona;
  const ids = { caseId: openCase.caseId, memberId };
  return { author, student, operator, classId, messageId, ids };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

function listRequests(name: RouteName): Request[] {
  const { path, operation } = findOperation(name);
  const { author, classId, messageId, ids } = scene;
  const { params, query, body } = createInput(name, {
    ...nothing,
    email: author.email,
    supportedEmail: author.email,
    classId,
    messageId,
    ...ids,
  });
  const base: Record<string, string> = {
    ...params,
    ...Object.fromEntries(Object.entries(query ?? {}).map(([key, value]) => [key, String(value)])),
  };
  const schema = operation.requestBody?.content['application/json']?.schema;
  const valid = { path: toPath(path, operation, base), body: body as Json | undefined };
  const bodies =
    schema && body ? listVariants(schema, JSON.parse(JSON.stringify(body)) as Json) : [];
  const addresses = operation.parameters.flatMap((parameter) => [
    ...listParameterTexts(parameter.schema).map((text) => ({ ...base, [parameter.name]: text })),
    { ...base, [parameter.name]: unknownId },
  ]);
  const variants = [
    ...bodies.map((variant) => ({ ...valid, body: variant })),
    ...addresses.map((texts) => ({ ...valid, path: toPath(path, operation, texts) })),
  ];
  // The valid request is the last, because it can end the session.
  return [...variants.filter((_, n) => n % share === 0), valid];
}

function toPath(path: string, operation: Operation, texts: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === 'index' ? '*' : (texts[name] ?? unknownId)),
  );
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && texts[parameter.name] !== undefined)
    .map(({ name }) => `${name}=${encodeURIComponent(texts[name]!)}`);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

describe('a call keeps to its description, whatever is sent', () => {
  test.each(Object.keys(routes) as RouteName[])('%s [HTTP-57]', async (name) => {
    const { method, operation } = findOperation(name);
    const isReply = schemas.compile(operation.responses['200'].content['application/json'].schema);
    const bodySchema = operation.requestBody?.content['application/json']?.schema;
    const isBody = bodySchema ? schemas.compile(bodySchema) : () => true;
    const problems: string[] = [];

    for (const client of [app.visitor(), scene.student, scene.operator]) {
      for (const { path, body } of listRequests(name)) {
        const response = await client.fetch(path, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(method !== 'GET' && body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        const problem = findProblem(response.status, text, isReply, !isBody(body));
        if (problem) problems.push(`${problem} after ${path} ${shorten(body)}`);
      }
    }

    expect(problems.slice(0, 5)).toEqual([]);
  });
});

function findProblem(
  status: number,
  text: string,
  isReply: ValidateFunction,
  isWrong: boolean,
): string | null {
  const reply = parseJson(text);
  if (status >= 500) return `status ${status}: ${text}`;
  if (status >= 400) return isError(reply) ? null : `an error that is not described: ${text}`;
  if (isWrong) return `status ${status} for a body that the description excludes`;
  if (isReply(reply)) return null;
  return `a reply that is not described (${schemas.errorsText(isReply.errors)}): ${text.slice(0, 300)}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shorten(body: Json | undefined): string {
  return (JSON.stringify(body) ?? '').slice(0, 300);
}
