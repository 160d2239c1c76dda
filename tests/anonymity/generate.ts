// Valid input for any call or frame, generated from its schema. New ones are covered automatically.
import { z } from 'zod';

/** Known values by field name; a function returns a new value each time. */
export type Pool = Map<string, unknown>;

/** What the generators of inputs read of a schema, as `z.toJSONSchema` returns it. */
export interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
  default?: unknown;
}

/** @throws if the schema rejects the generated value: then the pool needs a value for that field */
export function createValidInput(schema: z.ZodType, pool: Pool, name: string): unknown {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const input = make(json, pool, name);
  const result = schema.safeParse(input);
  if (result.success) return input;
  // Some optional fields exclude each other.
  for (const field of Object.keys(json.properties ?? {})) {
    const smallerInput = { ...(input as object), ...keepOnly(json, field) };
    if (schema.safeParse(smallerInput).success) return smallerInput;
  }
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(
    `The canary test cannot generate a valid value for ${name}, so it would not notice a leak. Add a value to its pool.\n${problems.join('\n')}`,
  );
}

/** Leaves out every optional field but one. */
function keepOnly({ properties = {}, required = [] }: JsonSchema, included: string) {
  const omittedFields = Object.keys(properties).filter(
    (field) => field !== included && !required.includes(field),
  );
  return Object.fromEntries(omittedFields.map((field) => [field, undefined]));
}

function make(schema: JsonSchema, pool: Pool, name: string): unknown {
  const { type, properties, items, minimum = 0, anyOf, oneOf } = schema;
  if ('const' in schema) return schema.const;
  const poolValue = pool.get(name);
  if (poolValue !== undefined && !properties) {
    return typeof poolValue === 'function' ? (poolValue as () => unknown)() : poolValue;
  }
  if (schema.enum) return schema.enum[0];
  if (anyOf ?? oneOf) return make((anyOf ?? oneOf)?.[0] ?? {}, pool, name);
  if (properties) {
    const fields = Object.entries(properties);
    return Object.fromEntries(
      fields.map(([field, fieldSchema]) => [field, make(fieldSchema, pool, field)]),
    );
  }
  if (type === 'array') return [make(items ?? {}, pool, name)];
  if (type === 'boolean') return true;
  if (type !== 'integer' && type !== 'number') return 'Word';
  return Math.max(minimum, Math.min(1, schema.maximum ?? 1));
}

/** Stores every value of an answer by field name, so that later calls can use its ids. */
export function learn(pool: Pool, answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value === 'object') learn(pool, value);
    else if (name.endsWith('Id')) pool.set(name, value);
  }
}
