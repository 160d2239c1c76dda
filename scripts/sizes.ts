/**
 * `npm run sizes` prints how large the project is, and `npm run sizes -- --write` keeps these numbers in sizes.json. The step
 * `sizes` of `npm test` fails if a number is larger than there.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-tool.ts';

type Sizes = Record<string, number>;

const sizesFile = join(projectRoot, 'sizes.json');

/** @returns whether nothing grew */
export function checkSizes(): boolean {
  const limits = loadSizes();
  const sizes = measureSizes();
  printSizes(sizes, limits);
  const hasGrown = Object.entries(sizes).some(([name, size]) => size > limits[name]!);
  if (hasGrown) {
    console.log('Make room, or run `npm run sizes -- --write` and say in the commit what it buys.');
  }
  return !hasGrown;
}

function measureSizes(): Sizes {
  const code = loadFiles('{src,tests,scripts,bench}/**/*.{ts,tsx,mjs}');
  const isTest = ({ file }: { file: string }) => /^tests\/|\.test\.|\/testing\//.test(file);
  const tests = code.filter(isTest);
  const source = code.filter((entry) => entry.file.startsWith('src/') && !isTest(entry));
  const tools = code.filter((entry) => /^(scripts|bench)\//.test(entry.file) && !isTest(entry));
  return {
    'lines of source': count(source, /\n/g),
    'lines of style sheets': count(loadFiles('src/**/*.css'), /\n/g),
    'lines of tests': count(tests, /\n/g),
    'lines of benchmarks and scripts': count(tools, /\n/g),
    'interfaces of dependencies and options': count(code, /^interface (Dependencies|Options)\b/gm),
    'settings and limits': count(loadFiles('.env.example'), /^#[A-Z_\d]+=/gm),
    decisions: loadFiles('decisions/[0-9]*.md').length,
    'words of documents': count(loadFiles('{*.md,{docs,spec,decisions,bench}/**/*.md}'), /\S+/g),
  };
}

function loadFiles(pattern: string): { file: string; text: string }[] {
  return globSync(pattern, { cwd: projectRoot, exclude: ['**/node_modules'] }).map((file) => ({
    file,
    text: readFileSync(join(projectRoot, file), 'utf8'),
  }));
}

function count(files: readonly { text: string }[], pattern: RegExp): number {
  return files.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

function printSizes(sizes: Sizes, limits: Sizes): void {
  for (const [name, size] of Object.entries(sizes)) {
    const change = size === limits[name] ? '' : ` (${limits[name]} in sizes.json)`;
    console.log(`${String(size).padStart(7)} ${name}${change}`);
  }
}

function loadSizes(): Sizes {
  return JSON.parse(readFileSync(sizesFile, 'utf8')) as Sizes;
}

if (import.meta.main) {
  const sizes = measureSizes();
  printSizes(sizes, loadSizes());
  if (process.argv.includes('--write')) {
    writeFileSync(sizesFile, `${JSON.stringify(sizes, null, 2)}\n`);
  }
}
