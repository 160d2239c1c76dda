// Settings that are in files instead of environment variables: `.env`, and secrets such as SECRET_KEY_FILE.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import { secretSettings } from './settings.ts';

/**
 * @param environment the variables of the process; they win over the file's
 * @param directory where the file `.env` may be
 * @returns the variables and the settings in files, without the names of these files
 * @throws {StartupError} for a file that cannot be read, and for a secret that is set twice
 */
export function loadSettingsFiles(
  environment: NodeJS.ProcessEnv,
  directory: string,
): NodeJS.ProcessEnv {
  const inFile = loadEnvFile(environment['ENV_FILE'], directory);
  const settings = { ...inFile, ...environment };
  for (const name of secretSettings) {
    const pointer = `${name}_FILE`;
    // Each of the two wins over both of the file, also if it is blank.
    const wins = [name, pointer].some((variable) => environment[variable] !== undefined);
    const { [name]: value, [pointer]: fileName } = wins ? environment : settings;
    delete settings[pointer];
    delete settings[name];
    if (value !== undefined) settings[name] = value;
    if (!fileName?.trim()) continue;
    if (value?.trim()) {
      throw new StartupError(`${name} and ${pointer} are both set: remove one of them.`);
    }
    settings[name] = loadSecret(pointer, resolve(directory, fileName.trim()));
  }
  return settings;
}

/** Settings that come from a file: from `.env`, or from one that `<name>_FILE` names. */
export function listSettingsInFiles(
  environment: NodeJS.ProcessEnv,
  directory: string,
): ReadonlySet<string> {
  const inFile = loadEnvFile(environment['ENV_FILE'], directory);
  const namesInFile = Object.keys(inFile).filter((name) => environment[name] === undefined);
  const withPointer = secretSettings.filter((name) => {
    const isDirect = environment[name] !== undefined;
    const pointer = environment[`${name}_FILE`] ?? (isDirect ? '' : inFile[`${name}_FILE`]);
    return Boolean(pointer?.trim());
  });
  return new Set([...namesInFile, ...withPointer]);
}

function loadEnvFile(name: string | undefined, directory: string): NodeJS.Dict<string> {
  if (name === 'none') return {};
  const file = resolve(directory, name?.trim() || '.env');
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' && !name) return {};
    throw toUnreadableError(name ? 'ENV_FILE' : 'The settings file', file, error);
  }
}

function loadSecret(setting: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw toUnreadableError(setting, file, error);
  }
  if (text && !/\s/.test(text)) return text;
  throw new StartupError(
    `${setting}: ${file} must contain one line with the value, without spaces.`,
  );
}

function toUnreadableError(setting: string, file: string, error: unknown): StartupError {
  const reasons: Record<string, string> = {
    ENOENT: 'does not exist',
    EACCES: 'may not be read by the user who runs the server',
    EISDIR: 'is a folder',
  };
  const reason = reasons[getErrorCode(error)] ?? 'cannot be read';
  return new StartupError(`${setting}: ${file} ${reason}.`);
}
