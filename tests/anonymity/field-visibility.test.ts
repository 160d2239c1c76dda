// Compares the table of field visibility with the schemas: /privacy shows what the server sends.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { http } from '#contract/http.ts';
import { serverFrame } from '#contract/socket.ts';
import { fieldVisibilities } from '#contract/field-visibility.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { canarySettings, useEverything, type Observations } from './use-everything.ts';

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

/** The names of all fields that a schema allows. */
function listFields(schema: z.ZodType): Set<string> {
  const names = new Set<string>();
  const walk = (subschema: JsonSchema | undefined): void => {
    if (typeof subschema !== 'object') return;
    for (const [name, field] of Object.entries(subschema.properties ?? {})) {
      names.add(name);
      walk(field);
    }
    for (const part of [
      subschema.items,
      subschema.additionalProperties,
      ...(subschema.anyOf ?? []),
      ...(subschema.oneOf ?? []),
    ]) {
      walk(part);
    }
  };
  walk(z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema);
  return names;
}

const declared = fieldVisibilities.flatMap(({ fields }) => fields);
const listDeclaredFields = (...audiences: string[]) =>
  fieldVisibilities
    .filter(({ audience }) => audiences.includes(audience))
    .flatMap(({ fields }) => fields);

test('the table says of each field that leaves the server who sees it [ANON-25]', () => {
  const schemas = [...Object.values(http).map(({ reply }) => reply), serverFrame];
  const sentFields = new Set(schemas.flatMap((schema) => [...listFields(schema)]));
  for (const { shape } of serverFrame.options) sentFields.add(`frame ${shape.type.value}`);
  const calls = Object.keys(http).map((name) => `call ${name}`);

  expect(
    [...sentFields].filter((name) => !declared.includes(name)),
    'not in field-visibility.ts',
  ).toEqual([]);
  expect(
    declared.filter((name) => !sentFields.has(name) && !calls.includes(name)),
    'not sent by anything',
  ).toEqual([]);
  expect(declared.toSorted()).toEqual([...new Set(declared)].toSorted());
});

describe('what others get', () => {
  const app = setUpApp(canarySettings);
  let observations: Observations;
  beforeAll(async () => {
    observations = await useEverything(app);
  });

  // Every account gets its own fields. The canary checks that others do not get them.
  test.each([
    ['a visitor', 'visitor', ['everybody', 'you']],
    ['a student who is not in the class', 'stranger', ['everybody', 'signedIn', 'you']],
    ['a member', 'observer', ['everybody', 'signedIn', 'members', 'you']],
    [
      'an operator',
      'moderator',
      ['everybody', 'signedIn', 'members', 'moderators', 'operators', 'you'],
    ],
  ] as const)(
    '%s gets no field that is not for them [ANON-25, MOD-3]',
    (_, observer, audiences) => {
      const got = observations.fields.get(observer);
      expect(got?.size).toBeGreaterThan(3);

      const hiddenNames = declared.filter(
        (name) => !listDeclaredFields(...audiences).includes(name),
      );
      expect([...(got ?? [])].filter((name) => hiddenNames.includes(name))).toEqual([]);
    },
  );
});
