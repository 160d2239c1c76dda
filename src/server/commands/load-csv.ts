// Loads the CSV files that an operator gives to a command.
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Papa from 'papaparse';
import { parseCsv } from '#contract/class-csv.ts';

/** Loads a CSV file with all its rows. */
export async function loadCsv(file: string): Promise<string[][]> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${resolve(file)} cannot be read (${error.code}): give a path that the user who runs the command may read.`,
    );
  });
  return parseCsv(bytes, TextDecoder, Papa.parse<string[]>);
}

/** Loads some CSV files of a folder, by their names. */
export async function loadFolder<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Record<Name, string[][]>> {
  const tables = await Promise.all(
    names.map(async (name) => [name, await loadCsv(join(folder, name))] as const),
  );
  return Object.fromEntries(tables) as Record<Name, string[][]>;
}

export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false;
