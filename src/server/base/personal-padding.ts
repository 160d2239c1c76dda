// Pads what a reply or a frame says only to its receiver. Everything else in it is known to the whole class, so without the
// padding its size would tell an observer of the network which persona the receiver is, or how the receiver voted.
import { z } from 'zod';
import { fieldVisibilities } from '#contract/field-visibility.ts';

const personalNames = new Set(
  fieldVisibilities.flatMap(({ audience, fields }) => (audience === 'you' ? fields : [])),
);

/** They say what a frame answers, or which class it is about. */
const addressFields: readonly string[] = ['type', 'rid', 'classId'];

/**
 * Lists the fields that only the receiver sees, or that contain such a field.
 *
 * @param name such as 'frame read' or 'call readPoll': if `field-visibility.ts` names it, all its fields are personal
 */
export function listPersonalFields(name: string, schema: z.ZodType): string[] {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const isPersonal = ([field, fieldSchema]: [string, z.ZodType]) =>
    personalNames.has(name)
      ? !addressFields.includes(field)
      : personalNames.has(field) || hasPersonalField(fieldSchema);
  return Object.entries<z.ZodType>(shape)
    .filter(isPersonal)
    .map(([field]) => field);
}

function hasPersonalField(schema: z.ZodType): boolean {
  let isFound = false;
  JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }), (key, value: unknown) => {
    isFound ||= personalNames.has(key);
    return value;
  });
  return isFound;
}

/**
 * Adds spaces, which JSON allows at its end. The personal fields together take a multiple of `step` bytes, and one step if
 * they are absent.
 */
export function toPaddedJson(
  value: object,
  personalFields: readonly string[],
  step: number,
): string {
  const json = JSON.stringify(value);
  if (personalFields.length === 0) return json;
  let bytes = 0;
  for (const [field, content] of Object.entries(value)) {
    if (content === undefined || !personalFields.includes(field)) continue;
    // The braces are as long as the comma and one more.
    bytes += Buffer.byteLength(JSON.stringify({ [field]: content })) - 1;
  }
  return json + ' '.repeat(Math.max(1, Math.ceil(bytes / step)) * step - bytes);
}
