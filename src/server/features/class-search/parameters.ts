// Reads the parameters of one search request: typed fields, a query string in `params`, or both.
import { QueryError } from '#server/http/query-error.ts';

const maxTextLength = 1000;

export class Parameters {
  readonly #flat: Readonly<Record<string, unknown>>;
  readonly #encoded: URLSearchParams;

  /** @throws {QueryError} */
  constructor({ params, ...flat }: Readonly<Record<string, unknown>>) {
    if (params !== undefined && typeof params !== 'string' && !isObject(params)) {
      throw invalid('params', 'expected a string');
    }
    this.#flat = isObject(params) ? { ...params, ...flat } : flat;
    this.#encoded = new URLSearchParams(typeof params === 'string' ? params : '');
  }

  /** The names of all parameters, with repetitions. */
  names(): string[] {
    return [...Object.keys(this.#flat), ...this.#encoded.keys()];
  }

  /** The value as sent, or undefined. */
  raw(name: string): unknown {
    // A name such as `constructor` must not read the prototype.
    if (Object.hasOwn(this.#flat, name)) return this.#flat[name];
    return this.#encoded.get(name) ?? undefined;
  }

  text(name: string, otherwise: string, maxLength = maxTextLength): string {
    const value = this.#rawOr(name, otherwise);
    if (typeof value !== 'string') throw invalid(name, 'expected a string');
    if (value.length > maxLength) {
      throw invalid(name, `expected a string of at most ${maxLength} characters`);
    }
    return value;
  }

  /** Returns one of the choices. A boolean is the same as its text. */
  choice<Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice) {
    const value = this.#rawOr(name, otherwise);
    const text = typeof value === 'boolean' ? String(value) : value;
    const choice = choices.find((one) => one === text);
    if (choice === undefined) throw invalid(name, `expected ${choices.join(', ')}`);
    return choice;
  }

  flag(name: string, otherwise: boolean): boolean {
    return this.choice(name, ['true', 'false'], otherwise ? 'true' : 'false') === 'true';
  }

  integer(name: string, otherwise: number, least: number, most: number): number {
    const sent = this.#rawOr(name, otherwise);
    const isEncoded = typeof sent === 'string' && !Object.hasOwn(this.#flat, name);
    const value = isEncoded ? numberOf(sent) : sent;
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw invalid(name, 'expected an integer');
    }
    if (value < least || value > most) {
      throw invalid(name, `expected an integer from ${least} to ${most}`);
    }
    return value;
  }

  list(name: string, otherwise: readonly string[]): readonly string[] {
    const items = this.nested(name, otherwise);
    if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
      throw invalid(name, 'expected a list of strings');
    }
    return items;
  }

  /** A list that may contain lists. As text, it is JSON or separated by commas. */
  nested(name: string, otherwise: unknown): unknown {
    const value = this.#rawOr(name, otherwise);
    if (typeof value !== 'string') return value;
    if (!value.startsWith('[')) return splitAtCommas(value);
    try {
      return JSON.parse(value);
    } catch {
      throw invalid(name, 'expected a list');
    }
  }

  /** All parameters as a query string. */
  echo(): string {
    const all = new URLSearchParams(this.#encoded);
    for (const [name, value] of Object.entries(this.#flat)) {
      all.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return all.toString();
  }

  #rawOr(name: string, otherwise: unknown): unknown {
    const value = this.raw(name);
    return value === undefined ? otherwise : value;
  }
}

export function invalid(name: string, expected: string): QueryError {
  return new QueryError(`Invalid value for "${name}" parameter, ${expected}`);
}

function splitAtCommas(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function numberOf(text: string): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
