// Settings that are in files instead of environment variables: `.env`, secrets such as SECRET_KEY_FILE, and credentials of systemd.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
  variables: NodeJS.ProcessEnv,
  directory: string,
): NodeJS.ProcessEnv {
  const environment = addCredentials(variables);
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

/** Finds the files of the settings that are in files: `.env`, or one that `<name>_FILE` names. */
export function findSettingsFiles(
  variables: NodeJS.ProcessEnv,
  directory: string,
): ReadonlyMap<string, string> {
  const environment = addCredentials(variables);
  const inFile = loadEnvFile(environment['ENV_FILE'], directory);
  const envFile = toEnvFile(environment['ENV_FILE'], directory);
  const files = new Map(
    Object.keys(inFile)
      .filter((name) => environment[name] === undefined)
      .map((name) => [name, envFile]),
  );
  for (const name of secretSettings) {
    const isDirect = environment[name] !== undefined;
    const pointer = environment[`${name}_FILE`] ?? (isDirect ? '' : inFile[`${name}_FILE`]);
    if (pointer?.trim()) files.set(name, resolve(directory, pointer.trim()));
  }
  return files;
}

/** A credential of systemd that has the name of a secret is read as if `<name>_FILE` named its file. */
function addCredentials(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = environment['CREDENTIALS_DIRECTORY'];
  if (!folder) return environment;
  const files = secretSettings
    .map((name) => [`${name}_FILE`, join(folder, name)] as const)
    .filter(([, file]) => existsSync(file));
  return { ...Object.fromEntries(files), ...environment };
}

function toEnvFile(name: string | undefined, directory: string): string {
  return resolve(directory, name?.trim() || '.env');
}

function loadEnvFile(name: string | undefined, directory: string): NodeJS.Dict<string> {
  if (name === 'none') return {};
  const file = toEnvFile(name, directory);
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
  if (text && !/[\r\n]/.test(text)) return text;
  throw new StartupError(`${setting}: ${file} must contain one line with the value.`);
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
