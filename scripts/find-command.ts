import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a command on PATH. */
export function findCommand(command: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
}
