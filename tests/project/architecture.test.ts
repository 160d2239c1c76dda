// ARCHITECTURE.md leads newcomers to files, and the papers of docs/procurement name their sources, so neither may name what no
// longer exists.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { settingNames } from '#server/config/settings.ts';
import { commands } from '../../scripts/commands/admin.ts';
import { parseRules } from '../../scripts/rules.ts';
import { projectRoot } from '../../scripts/run-tool.ts';

const loadFile = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

/** The life of a message shortens its paths to those below these folders. */
const roots = ['', 'src/server', 'src/web'];

function listNamedPaths(text: string): string[] {
  return [...text.matchAll(/`([\w-]+(?:[/.][\w-]+)+)`/g)].map(([, path = '']) => path);
}

function isThere(path: string): boolean {
  return roots.some((root) => existsSync(join(projectRoot, root, path)));
}

test('each path that ARCHITECTURE.md names exists', () => {
  const paths = listNamedPaths(loadFile('ARCHITECTURE.md'));

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test('the check finds a path that does not exist', () => {
  const paths = listNamedPaths(
    '`src/server/store`, `sync/no-such-file.ts`, `/privacy` and `post`.',
  );

  expect(paths).toEqual(['src/server/store', 'sync/no-such-file.ts']);
  expect(paths.filter((path) => !isThere(path))).toEqual(['sync/no-such-file.ts']);
});

const spec = globSync('spec/*.md', { cwd: projectRoot }).map(loadFile).join('\n');
const ruleIds = new Set(parseRules(spec).map(({ id }) => id));
const ruleAreas = new Set([...ruleIds].map((id) => id.replace(/-\d+$/, '')));
const settings = new Set<string>(settingNames);
const commandNames = new Set(commands.map(({ name }) => name));
const { scripts } = JSON.parse(loadFile('package.json')) as { scripts: Record<string, string> };

/** How a name in backticks is found: its form, and whether the thing exists. */
const namedThings: readonly [form: RegExp, exists: (name: string) => boolean][] = [
  [/^([A-Z][A-Z\d_]{2,})(?:=|$)/, (name) => settings.has(name)],
  [/^backchannel ([a-z:-]+)/, (name) => commandNames.has(name) || name in scripts],
  [/^([a-z]+(?:-[a-z]+)+)(?: |$)/, (name) => commandNames.has(name)],
  [/^npm run ([\w:]+)/, (name) => name in scripts],
  // A screen or an address: the rules name each of them.
  [/^(\/[a-z][a-z/]*)$/, (name) => spec.includes(`\`${name}\``)],
];

function hasHeading(file: string, anchor: string): boolean {
  const headings = [...loadFile(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.some(
    (heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-') === anchor,
  );
}

/** Lists the links, settings, commands, scripts, screens and rules in the text of a page that do not exist. */
function listMissing(file: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!\w+:)([^)#]*)#?([^)]*)\)/g)].filter(
    ([, path = '', anchor = '']) => {
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(projectRoot, target))) return true;
      return anchor !== '' && !hasHeading(target, anchor);
    },
  );
  const names = [...text.matchAll(/`([^`\n]+)`/g)].filter(([, code = '']) =>
    namedThings.some(([form, exists]) => {
      const name = form.exec(code)?.[1];
      return name !== undefined && !exists(name);
    }),
  );
  const rules = [...text.matchAll(/\b([A-Z]+)-[1-9]\d*\b/g)].filter(
    ([id, area = '']) => ruleAreas.has(area) && !ruleIds.has(id),
  );
  return [...links, ...names, ...rules].map(([match]) => match);
}

const papers = globSync('docs/procurement/*.md', { cwd: projectRoot }).toSorted();

test.each(papers)('what %s names exists', (file) => {
  expect(listMissing(file, loadFile(file))).toEqual([]);
});

test('the check of the papers finds what does not exist', () => {
  const text =
    '[a](privacy.md), [b](none.md), [c](privacy.md#none), [d](https://university.edu), ' +
    '`UNMASKING=on`, `NO_SUCH_SETTING`, `npm run doctor`, `npm run none`, `verify-audit HASH`, ' +
    '`no-command`, `backchannel none`, `/privacy`, `/none`, MOD-1, MOD-9999, DCTR-01';

  expect(listMissing('docs/procurement/README.md', text)).toEqual([
    '](none.md)',
    '](privacy.md#none)',
    '`NO_SUCH_SETTING`',
    '`npm run none`',
    '`no-command`',
    '`backchannel none`',
    '`/none`',
    'MOD-9999',
  ]);
});
