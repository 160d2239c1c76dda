// Random valid values for a schema of the contract. New calls and frames are fuzzed automatically.
import { z } from 'zod';
import type { Random } from '#tests/support/random.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Shape {
  type?: string;
  const?: Json;
  enum?: Json[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** The school's existing ids, so that some requests match existing rows. */
export interface KnownIds {
  classIds: string[];
  messageIds: string[];
  words: readonly string[];
}

export type Draw = (random: Random, known: KnownIds) => Json;

export function createDraw(schema: z.ZodType): Draw {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  return (random, knownIds) => draw(shape, random, knownIds);
}

function draw(shape: Shape, random: Random, knownIds: KnownIds): Json {
  const alternatives = shape.anyOf ?? shape.oneOf;
  if (alternatives) return draw(random.pick(alternatives), random, knownIds);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return random.pick(shape.enum);
  switch (shape.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([name]) => shape.required?.includes(name) || random.chance(0.5))
          .map(([name, fieldShape]) => [name, draw(fieldShape, random, knownIds)]),
      );
    case 'array':
      return Array.from({ length: random.int(0, 3) }, () =>
        draw(shape.items ?? {}, random, knownIds),
      );
    case 'integer':
    case 'number':
      return random.int(shape.minimum ?? 0, Math.min(shape.maximum ?? 200, 200));
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case undefined:
    default:
      return drawText(shape, random, knownIds).slice(0, shape.maxLength);
  }
}

const hex = '0123456789abcdef';
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';
const drawCharacters = (random: Random, from: string, length: number) =>
  Array.from({ length }, () => from[random.int(0, from.length - 1)]).join('');

function drawText({ pattern = '' }: Shape, random: Random, knownIds: KnownIds): string {
  if (pattern.includes('[0-9a-f]{12}')) {
    const version = pattern.includes('-8') ? 8 : 4;
    if (version === 4 && random.chance(0.6)) return random.pick(knownIds.messageIds);
    const [a, b, c, d, e] = [8, 4, 3, 3, 12].map((length) => drawCharacters(random, hex, length));
    return `${a}-${b}-${version}${c}-a${d}-${e}`;
  }
  if (pattern.includes('{16}')) {
    return random.chance(0.8)
      ? random.pick(knownIds.classIds)
      : drawCharacters(random, letters, 16);
  }
  if (pattern.includes('{8}')) return drawCharacters(random, letters, 8);
  if (pattern.includes('[0-5]')) return `0${random.int(0, 9)}:${random.int(10, 59)}`;
  if (pattern.includes('classSchedule')) return `classSchedule:${random.pick(['Monday', 'x'])}`;
  if (pattern.includes('{1,63}')) return random.pick(['default', 'riverside', 'x']);
  return random.pick(knownIds.words);
}
