/**
 * `npm run test:rules`: is a citation true? Each sentence that SPEC.md quotes and each constant beside
 * which a comment cites a rule is changed once, in a copy of the project, and the tests that cite the
 * rule are run. What they do not notice is listed. `npm run test:rules -- SEND LIMIT-4` takes these
 * areas and rules alone, `--fast` leaves the browser out. It takes long: run it by hand, with `nice`.
 */
import { citedTests } from './break-rules/cited-tests.ts';
import { findChanges, type Change } from './break-rules/find-changes.ts';
import { copyProject } from './break-rules/scratch-copy.ts';
import { findBrowser } from './find-browser.ts';
import { readCitations } from './spec/citations.ts';
import { readRules } from './spec/rules.ts';

const named = process.argv.slice(2).filter((arg) => arg !== '--fast');
const fast = process.argv.includes('--fast');
const wanted = (rule: string) =>
  named.length === 0 || named.some((name) => name === rule || rule.startsWith(`${name}-`));

const rules = readRules();
const { changes, nowhere } = findChanges(rules);
const chosen = changes.filter((change) => change.rules.some(wanted));
const browser = fast ? null : ((await findBrowser()) ?? null);
if (!fast && !browser) throw new Error('No Chromium found: name one in BACKCHANNEL_BROWSER.');

const scratch = copyProject();
process.once('exit', scratch.remove);
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const tests = citedTests(scratch.root, readCitations(), browser);

const first = tests.failsUnchanged([...new Set(chosen.flatMap((change) => change.rules))]);
if (first.length > 0) throw new Error(`Without a change ${first.join(' and ')} fails already.`);

/** Whose tests noticed the change of what, of those that say it. */
const noticed = new Map<Change, string[]>();
for (const [n, change] of chosen.entries()) {
  const by: string[] = [];
  scratch.withChange(change, () => {
    for (const rule of change.rules.filter(wanted)) {
      const what = tests.whatFails(rule, change.file);
      if (what) by.push(rule);
      const said = what ? `noticed by ${what}` : 'NOT NOTICED';
      console.log(`${n + 1}/${chosen.length} ${rule} ${placeOf(change)}: ${said}`);
    }
  });
  noticed.set(change, by);
}

const quiet = chosen.filter((change) => noticed.get(change)?.length === 0);
const unnoticed = quiet.filter(({ waiting }) => waiting.length === 0);
const left = quiet.filter(({ waiting }) => waiting.length > 0);
const pairs = new Set(
  chosen.flatMap((change) => change.rules.filter(wanted).map((rule) => `${rule}: ${change.of}`)),
);
for (const [change, by] of noticed) for (const rule of by) pairs.delete(`${rule}: ${change.of}`);

list('Changes that no test noticed', unnoticed.map(placeOf));
list('Rules whose own tests noticed no change of what they say', [...pairs]);
list(
  'Left to rules that are not built yet',
  left.map((change) => `${placeOf(change)} (${change.waiting.join(', ')})`),
);
list(
  'Quoted, and in no source',
  nowhere.map(({ sentence, rules: of }) => `'${sentence}' (${of.join(', ')})`),
);
console.log(`\n${chosen.length - quiet.length} noticed, ${quiet.length} not noticed`);
process.exitCode = unnoticed.length > 0 || pairs.size > 0 ? 1 : 0;

function placeOf({ file, line, of }: Change): string {
  return `${file}:${line} '${of}'`;
}

function list(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
