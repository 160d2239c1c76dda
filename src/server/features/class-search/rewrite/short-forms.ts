// Short forms that students use ('orgo', 'poli sci') and the codes of subjects. A school can add its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode, StartupError } from '#server/base/startup-failure.ts';
import { toTerms } from '#server/base/tokenizer.ts';

export interface ShortForms {
  /** The full forms of a short form, best first. Spaces do not count: 'polisci' is 'poli sci'. */
  listFullForms(squeezed: string): readonly string[];
  /** The codes that schools use for a subject, by its name or by one of its codes. */
  listSubjectCodes(squeezed: string): readonly string[];
  /** Words such as 'class' and 'professor', which say nothing about the course. */
  isIgnored(word: string): boolean;
}

const phrase = z.string().min(1).max(100);
const fileSchema = z.strictObject({
  words: z.record(phrase, z.union([phrase, z.array(phrase).max(10)])).default({}),
  subjects: z.record(phrase, z.array(phrase).max(20)).default({}),
  ignored: z.array(phrase).default([]),
});
type ShortFormsFile = z.infer<typeof fileSchema>;

const schoolFile = 'short-forms.json';

/**
 * @param dataDir the folder with the school's own file, if there is one
 * @throws {StartupError} if the school's file is invalid
 */
export function loadShortForms(dataDir: string | null): ShortForms {
  const builtInForms = parse(
    readFileSync(join(import.meta.dirname, schoolFile), 'utf8'),
    schoolFile,
  );
  const path = dataDir === null ? null : join(dataDir, schoolFile);
  const text = path === null ? null : loadIfExists(path);
  // The school's forms come first, so that they are preferred.
  return createShortForms(
    text === null || path === null ? [builtInForms] : [parse(text, path), builtInForms],
  );
}

function loadIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new StartupError(`${path} cannot be read.`);
  }
}

function parse(text: string, path: string): ShortFormsFile {
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new StartupError(`${path} is not a list of short forms: ${reason}`);
  }
}

function createShortForms(files: readonly ShortFormsFile[]): ShortForms {
  const fullForms = new Map<string, Set<string>>();
  const codes = new Map<string, Set<string>>();
  const ignored = new Set(files.flatMap((file) => file.ignored.flatMap((word) => toTerms(word))));
  for (const { words, subjects } of files) {
    for (const [short, full] of Object.entries(words)) {
      addAll(fullForms, squeeze(short), typeof full === 'string' ? [full] : full);
    }
    for (const [name, list] of Object.entries(subjects)) {
      for (const key of [name, ...list]) addAll(codes, squeeze(key), list);
    }
  }
  return {
    listFullForms: (squeezed) => [...(fullForms.get(squeezed) ?? [])],
    listSubjectCodes: (squeezed) => [...(codes.get(squeezed) ?? [])],
    isIgnored: (word) => ignored.has(word),
  };
}

function addAll(map: Map<string, Set<string>>, key: string, values: readonly string[]): void {
  const entries = map.get(key) ?? new Set();
  for (const value of values) entries.add(value);
  map.set(key, entries);
}

const squeeze = (text: string) => toTerms(text).join('');
