/**
 * `npm run rules` lists each rule of docs/spec with the tests that prove it and their level. `npm run rules -- MOD SEND-4`
 * lists only an area or a rule. It fails if a rule has no test, or if a test cites an id that no rule has.
 */
import {
  findMismatches,
  levels,
  loadCitations,
  loadRules,
  toLevel,
  type Citation,
  type Rule,
} from './rule-citations.ts';

const rules = loadRules();
const citations = loadCitations();
const citationsByRule = Map.groupBy(citations, ({ rule }) => rule);
const wantedRules = process.argv.slice(2);

if (wantedRules[0] === '--summary') printSummary();
else for (const rule of rules.filter(isWanted)) printRule(rule);

const mismatches = findMismatches(rules, citations);
for (const line of mismatches) console.error(line);
process.exitCode = mismatches.length > 0 ? 1 : 0;

function isWanted({ id }: Rule): boolean {
  return (
    wantedRules.length === 0 ||
    wantedRules.includes(id) ||
    wantedRules.includes(id.replace(/-\d+$/, ''))
  );
}

function printRule({ id, text, notBuilt }: Rule): void {
  if (notBuilt) return console.log(`${id} is not built yet: ${notBuilt}`);
  console.log(`${id} ${text}`);
  const proofs = citationsByRule.get(id) ?? [];
  for (const level of levels) {
    for (const { file, title } of proofs.filter((proof) => toLevel(proof.file) === level)) {
      console.log(`    ${level.padEnd(12)}${file}: ${title}`);
    }
  }
}

/** Prints for each level how many rules have their cheapest test there. */
function printSummary(): void {
  const proofsByLevel = Object.groupBy(citationsByRule.values(), findCheapestLevel);
  const parts = levels.map((level) => `${level} ${proofsByLevel[level]?.length ?? 0}`);
  console.log(
    `${citationsByRule.size} rules, by the cheapest level with a test: ${parts.join(', ')}.`,
  );
}

function findCheapestLevel(proofs: readonly Citation[]) {
  const levelIndexes = proofs.map(({ file }) => levels.indexOf(toLevel(file)));
  return levels[Math.min(...levelIndexes)] ?? 'e2e';
}
