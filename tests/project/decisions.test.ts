// The records in decisions/: whether each is in force, and the list by which one finds it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

const folder = join(projectRoot, 'decisions');
const files = readdirSync(folder).filter((file) => file !== 'README.md');
const loadDecision = (file: string) => readFileSync(join(folder, file), 'utf8');

/** The status is the paragraph after the title. */
function hasStatus(text: string): boolean {
  const status = /^# .+\n\nStatus: (?:accepted\b|superseded by \[decision \d+\]\(([^)]+)\))/.exec(
    text,
  );
  const successor = status?.[1];
  return status !== null && (successor === undefined || files.includes(successor));
}

test('each decision says whether it is in force or which one replaces it [DEPLOY-23]', () => {
  expect(files.length).toBeGreaterThan(70);
  expect(files.filter((file) => !hasStatus(loadDecision(file)))).toEqual([]);
});

test.each([
  ['# 1. A title\n\nStatus: accepted\n', true],
  [
    '# 1. A title\n\nStatus: superseded by [decision 19](0019-node-as-platform-packages.md).\n',
    true,
  ],
  ['# 1. A title\n\nStatus: superseded by [decision 2](0002-no-such-record.md).\n', false],
  ['# 1. A title\n\n## Context\n\nStatus: accepted\n', false],
])('the check finds in the record %j whether it has a status: %s [DEPLOY-23]', (text, expected) => {
  expect(hasStatus(text)).toBe(expected);
});

test('the list of decisions has each record with its title [DEPLOY-23]', () => {
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const isListed = (file: string) => {
    const [title = ''] = loadDecision(file).split('\n');
    return list.includes(`- [${title.slice(2)}](${file})`);
  };

  expect(files.filter((file) => !isListed(file))).toEqual([]);
});
