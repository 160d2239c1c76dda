// Values for a JSON Schema as the server describes its calls: valid ones, and around them what breaks a field.
import type { Json } from './valid-values.ts';

export interface Schema {
  type?: string;
  const?: Json;
  enum?: Json[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

/** The values that break fields of every type. */
const strangeValues: readonly Json[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '7',
  'x'.repeat(60_000),
  '\u0000',
  '\ud800',
  '\u202e\u2066evil\ufeff',
  '🧑‍🧑‍🧒‍🧒é\u0301'.repeat(300),
  '<script>alert(1)</script>',
  "' or 1=1 --",
  '../../etc/passwd',
  '%00%ff',
  [],
  {},
  [[[[[]]]]],
  { $ne: null },
  ['a', 7, null],
];

/** @returns texts for a parameter in the address */
export function listParameterTexts(schema: Schema): string[] {
  const values = [...listBounds(schema), ...strangeValues];
  // Node rejects an address that does not fit in its buffer.
  return values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .map((text) => text.slice(0, 1000).toWellFormed());
}

/**
 * @param value a valid one
 * @returns values that differ from it in one place, which can be deep inside
 */
export function listVariants(schema: Schema, value: Json | undefined): Json[] {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    return [...strangeValues, ...alternatives.flatMap((option) => listVariants(option, value))];
  }
  return [...listBounds(schema), ...strangeValues, ...listInnerVariants(schema, value)];
}

function listInnerVariants({ type, properties, items }: Schema, value: Json | undefined): Json[] {
  if (type === 'array' && items) {
    const [first] = Array.isArray(value) ? value : [];
    return listVariants(items, first).map((item) => [item]);
  }
  if (type !== 'object' || !properties) return [];
  const fields = isObject(value) ? value : {};
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { [name]: fieldValue, ...otherFields } = fields;
    return [
      otherFields,
      { ...fields, [`${name}Id`]: 'x' },
      ...listVariants(schema, fieldValue).map((variant) => ({ ...fields, [name]: variant })),
    ];
  });
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of the enumeration, and both sides of each limit. */
function listBounds(schema: Schema): Json[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const texts = [minLength, maxLength].filter((length) => isCountable(length));
  const counts = [minItems, maxItems].filter((count) => isCountable(count));
  const numbers = [minimum, maximum].filter((bound) => bound !== undefined);
  return [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...texts.flatMap((length) => listAround(length).map((size) => 'ä'.repeat(size))),
    ...counts.flatMap((count) => listAround(count).map((size) => Array<Json>(size).fill('x'))),
    ...numbers.flatMap((bound) => [bound - 1, bound, bound + 1]),
  ];
}

function isCountable(bound: number | undefined): bound is number {
  return bound !== undefined && bound < 100_000;
}

function listAround(bound: number): number[] {
  return [bound - 1, bound, bound + 1].filter((size) => size >= 0);
}
