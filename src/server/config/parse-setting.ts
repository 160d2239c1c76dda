// Checks of one setting. Each says what to change in one sentence.
import { isPlainLine } from '#contract/text.ts';
import { StartupError } from '#server/base/startup-failure.ts';

/** @throws {StartupError} */
export type ParseSetting<Value> = (text: string, name: string) => Value;

/**
 * @param toValue gives undefined for a wrong text
 * @param advice follows 'use', such as 'a number of seconds'
 */
export function parseAs<Value>(
  toValue: (text: string) => Value | undefined,
  advice: string,
): ParseSetting<Value> {
  return (text, name) => {
    const value = toValue(text);
    if (value !== undefined) return value;
    throw new StartupError(`${name} is "${text}": use ${advice}.`);
  };
}

/**
 * The sentence does not repeat the text, which may be a secret.
 *
 * @param sentence follows the name
 */
export function parseHidden<Value>(
  toValue: (text: string) => Value | undefined,
  sentence: string,
): ParseSetting<Value> {
  return (text, name) => {
    const value = toValue(text);
    if (value !== undefined) return value;
    throw new StartupError(`${name} ${sentence}`);
  };
}

export function parseChoice<const Choice extends string>(
  ...choices: Choice[]
): ParseSetting<Choice> {
  return parseAs((text) => choices.find((choice) => choice === text), choices.join(' or '));
}

export function parseNumber(shape: RegExp, max: number, advice: string): ParseSetting<number> {
  return parseAs((text) => toNumber(text, shape, max), advice);
}

/** Null is 'never'. */
export function parseNumberOrNever(shape: RegExp, advice: string): ParseSetting<number | null> {
  return parseAs((text) => (text === 'never' ? null : toNumber(text, shape, Infinity)), advice);
}

function toNumber(text: string, shape: RegExp, max: number): number | undefined {
  return shape.test(text) && Number(text) <= max ? Number(text) : undefined;
}

export function parseLine(maxLength: number, example?: string): ParseSetting<string> {
  const suffix = example === undefined ? '' : `, such as ${example}`;
  return parseHidden(
    (text) => (text.length <= maxLength && isPlainLine(text) ? text : undefined),
    `must be one line of at most ${maxLength} characters${suffix}.`,
  );
}

/**
 * Items are separated by commas.
 *
 * @param toItem gives null for a wrong text
 * @param problem follows the wrong item
 */
export function parseList<Item>(
  toItem: (text: string) => Item | null,
  problem: string,
): ParseSetting<Item[]> {
  return (text, name) =>
    text.split(',').map((part) => {
      const item = toItem(part.trim());
      if (item !== null) return item;
      throw new StartupError(`${name} contains "${part.trim()}"${problem}`);
    });
}

/** @returns minutes after midnight */
export function toMinute(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

export function toUrl(text: string, protocols: RegExp): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && protocols.test(url.protocol) ? url : undefined;
}

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
export const isHostName = (text: string) => hostName.test(text);

/** The names by which a machine reaches itself. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
export const isLoopback = (host: string) =>
  loopbackHosts.includes(host) || host.endsWith('.localhost');
