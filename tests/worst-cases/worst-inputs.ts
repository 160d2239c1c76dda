// The largest valid inputs of any call or frame, derived from its schema. New ones are covered automatically.
import { z } from 'zod';
import type { JsonSchema } from '#tests/anonymity/generate.ts';

/** The costly values of a field, by its name. A function makes new ones each time. */
export type CostlyValues = ReadonlyMap<string, readonly unknown[] | (() => readonly unknown[])>;

/** Four bytes of UTF-8 and two UTF-16 units, in which limits are counted. */
const largestCharacter = '\u{10348}';
const mostItems = 1000;

/**
 * The first input has every optional field, full lists and the first costly value of each field. Each other input has one
 * other value, or leaves out one field.
 *
 * @throws if the schema accepts none of them
 */
export function listWorstInputs(schema: z.ZodType, values: CostlyValues, name: string): unknown[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const inputs = makeAll(json, values, name).flatMap((input) => makeValid(schema, json, input));
  const byJson = new Map(inputs.map((input) => [JSON.stringify(input), input]));
  if (byJson.size > 0) return [...byJson.values()];
  const example = makeAll(json, values, name)[0];
  throw new Error(
    `The generator of worst cases makes no valid input for ${name}: ${JSON.stringify(example)?.slice(0, 400)}. Add costly values of its fields to costly-values.ts.`,
  );
}

/** Optional fields can exclude each other: then each of them gets an input of its own. */
function makeValid(schema: z.ZodType, json: JsonSchema, input: unknown): unknown[] {
  if (schema.safeParse(input).success) return [input];
  const { properties = {}, required = [] } = json;
  const optional = Object.keys(properties).filter((field) => !required.includes(field));
  return optional
    .map((keptField) => {
      const omittedFields = optional.filter((field) => field !== keptField);
      const entries = Object.entries(input as object).filter(
        ([field]) => !omittedFields.includes(field),
      );
      return Object.fromEntries(entries);
    })
    .filter((alternative) => schema.safeParse(alternative).success);
}

function makeAll(schema: JsonSchema, values: CostlyValues, name: string): unknown[] {
  const knownValues = values.get(name);
  if (knownValues) return [...(typeof knownValues === 'function' ? knownValues() : knownValues)];
  if ('const' in schema) return [schema.const];
  const { properties, items, type } = schema;
  if (schema.enum) return schema.enum;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    return alternatives.flatMap((alternative) => makeAll(alternative, values, name));
  }
  if (properties) return makeObjects(schema, values);
  if (type === 'array') {
    const length = Math.min(schema.maxItems ?? mostItems, mostItems);
    return [Array.from({ length }, () => makeAll(items ?? {}, values, name)[0])];
  }
  if (type === 'boolean') return [true, false];
  if (type === 'null') return [null];
  if (type === 'integer' || type === 'number') return [Math.min(schema.maximum ?? 1, 1_000_000)];
  const length = Math.floor((schema.maxLength ?? 2) / 2);
  return [largestCharacter.repeat(length)];
}

function makeObjects({ properties = {}, required = [] }: JsonSchema, values: CostlyValues) {
  const choices = Object.entries(properties).map(
    ([field, schema]) => [field, makeAll(schema, values, field)] as const,
  );
  const first = Object.fromEntries(choices.map(([field, [value]]) => [field, value]));
  const variants = choices.flatMap(([field, [, ...otherValues]]) =>
    otherValues.map((value) => ({ ...first, [field]: value })),
  );
  const shorter = Object.keys(properties)
    .filter((field) => !required.includes(field))
    .map((omittedField) =>
      Object.fromEntries(Object.entries(first).filter(([field]) => field !== omittedField)),
    );
  return [first, ...variants, ...shorter];
}
