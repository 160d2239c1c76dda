// Links between the documents lead to files and headings that exist.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

const documents = globSync(['*.md', '{docs,decisions,bench,.github}/**/*.md'], {
  cwd: projectRoot,
}).map((file) => join(projectRoot, file));

/** The anchors that GitHub gives to the headings. */
function listAnchors(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function hasTarget(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : resolve(document, '..', path);
  return existsSync(target) && (anchor === undefined || listAnchors(target).includes(anchor));
}

test('each link between the documents leads to a file and a heading that exist [DEPLOY-21]', () => {
  const links = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
      ([, link = '']) => ({ document, link }),
    ),
  );
  expect(links.length).toBeGreaterThan(80);

  const brokenLinks = links.filter(({ document, link }) => !hasTarget(document, link));
  expect(
    brokenLinks.map(({ document, link }) => `${relative(projectRoot, document)}: ${link}`),
  ).toEqual([]);
  expect(hasTarget(documents[0]!, 'docs/install.md#a-heading-that-is-not-there')).toBe(false);
});

test('each document that the code and the files of deploy/ name exists [DEPLOY-21]', () => {
  const files = globSync(['{src,scripts,tests,bench}/**/*.{ts,tsx}', 'deploy/*', '.env.example'], {
    cwd: projectRoot,
    exclude: ['tests/project/document-links.test.ts'],
  });
  const names = files.flatMap((file) => [
    ...readFileSync(join(projectRoot, file), 'utf8').matchAll(/\b(?:docs|decisions)\/[\w/-]+\.md/g),
  ]);

  expect(names.length).toBeGreaterThan(20);
  expect(
    names.map(([name]) => name).filter((name) => !existsSync(join(projectRoot, name))),
  ).toEqual([]);
});

test('docs/README.md links to each document of the folder [DEPLOY-21]', () => {
  const index = readFileSync(join(projectRoot, 'docs/README.md'), 'utf8');
  const files = readdirSync(join(projectRoot, 'docs')).filter((file) => file.endsWith('.md'));
  const missing = files.filter((file) => file !== 'README.md' && !index.includes(`](${file})`));

  expect(missing).toEqual([]);
});
