import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../run-tool.ts';
import { ruleId, type Rule } from '../spec/rules.ts';
import { parseSource, type ParsedSource } from './source-texts.ts';

/** One sentence or constant of the sources, made another one. */
export interface Change {
  /** What the rule says: the sentence, or the constant as it stands in the code. */
  of: string;
  rules: string[];
  /** Rules that quote the same, and are not built yet: the place may be theirs. */
  waiting: string[];
  file: string;
  line: number;
  start: number;
  end: number;
  becomes: string;
}

export interface Found {
  changes: Change[];
  /** Quoted in SPEC.md, and in no source: an example, or a sentence that was forgotten. */
  nowhere: { sentence: string; rules: string[] }[];
}

export function findChanges(rules: readonly Rule[]): Found {
  const built = rules.filter(({ notBuilt, withdrawn }) => !notBuilt && !withdrawn);
  const sentences = sentencesOf(built);
  const waiting = sentencesOf(rules.filter(({ notBuilt }) => notBuilt));
  const ids = new Set(built.map(({ id }) => id));
  const changes = globSync('src/**/*.{ts,tsx}', { cwd: projectRoot })
    .filter((file) => !/\.test\.|\/testing\/|\.d\.ts$/.test(file))
    .toSorted()
    .flatMap((file) => {
      const code = readFileSync(join(projectRoot, file), 'utf8');
      const source = parseSource(file, code);
      return [
        ...sentenceChanges(code, source, sentences),
        ...constantChanges(code, source, ids),
      ].map((change) => ({
        ...change,
        waiting: waiting.get(change.of) ?? [],
        file,
        line: code.slice(0, change.start).split('\n').length,
      }));
    });
  const found = new Set(changes.map((change) => change.of));
  const nowhere = [...sentences]
    .filter(([sentence]) => !found.has(sentence))
    .map(([sentence, of]) => ({ sentence, rules: of }));
  return { changes, nowhere };
}

/** What the rules quote, with the rules that do. An apostrophe opens no quotation. */
function sentencesOf(rules: readonly Rule[]): Map<string, string[]> {
  const sentences = new Map<string, string[]>();
  for (const { id, text } of rules) {
    for (const [, sentence = ''] of text.matchAll(/(?<!\w)'([^']+)'(?!\w)/g)) {
      sentences.set(sentence, [...(sentences.get(sentence) ?? []), id]);
    }
  }
  return sentences;
}

type Place = Omit<Change, 'file' | 'line' | 'waiting'>;

function sentenceChanges(
  code: string,
  { texts }: ParsedSource,
  sentences: ReadonlyMap<string, string[]>,
): Place[] {
  return [...sentences].flatMap(([sentence, rules]) =>
    texts.flatMap((text) => {
      const match = patternOf(sentence).exec(code.slice(text.start, text.end));
      if (!match?.groups) return [];
      const start = text.start + match.index + match[0].indexOf(match.groups['changed'] ?? '');
      const was = match.groups['changed'] ?? '';
      const end = start + was.length;
      return [{ of: sentence, rules, start, end, becomes: otherText(was) }];
    }),
  );
}

/**
 * One word stands for itself alone; a sentence may also be a part of a longer text. Where it has
 * {placeholders}, the group `changed` is its longest part between them.
 */
function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{\w+\}/);
  const longest = parts.toSorted((a, b) => b.length - a.length)[0];
  let changed = false;
  const pattern = parts.map((part) => {
    const words = part.split(/\s+/).map(RegExp.escape).join('\\s+');
    if (part !== longest || changed) return words;
    changed = true;
    return `(?<changed>${words})`;
  });
  const whole = pattern.join('\\$?\\{[^}]*\\}');
  return /\s/.test(sentence)
    ? new RegExp(`(?<![\\w])${whole}(?![\\w])`)
    : new RegExp(`^\\s*${whole}\\s*$`);
}

/** Values beside which a comment cites a rule: at the end of the line, or in the lines above. */
function constantChanges(code: string, source: ParsedSource, known: ReadonlySet<string>): Place[] {
  return source.comments.flatMap(({ text, start, end }) => {
    const cited = [...text.matchAll(new RegExp(ruleId, 'g'))].map(([id]) => id);
    const rules = cited.filter((id) => known.has(id));
    if (rules.length === 0) return [];
    const lineStart = code.lastIndexOf('\n', start) + 1;
    const beside = code.slice(lineStart, start).trim() !== '';
    const value = source.values.find(({ from, to }) =>
      beside ? from >= lineStart && to <= start : isAbove(code, end, from),
    );
    if (value?.kind === 'number') {
      const was = code.slice(value.start, value.end);
      return [{ of: was, rules, start: value.start, end: value.end, becomes: `(${was}) + 1` }];
    }
    const inLine = source.texts.filter((one) => one.start >= lineStart && one.end <= start);
    return (value?.texts ?? (beside ? inLine : [])).map((place) => {
      const was = code.slice(place.start, place.end);
      return { of: was, rules, start: place.start, end: place.end, becomes: otherText(was) };
    });
  });
}

/** Nothing but the beginning of a declaration stands between the comment and its name. */
function isAbove(code: string, commentEnd: number, from: number): boolean {
  return from >= commentEnd && /^\s*((export )?(const|let) )?$/.test(code.slice(commentEnd, from));
}

/** The same but for one letter or digit in its middle; where there is none, something else. */
function otherText(text: string): string {
  const middle = text.length / 2;
  const at = [...text.matchAll(/[a-z\d]/gi)]
    .map(({ index }) => index)
    .toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  if (at === undefined) return '🙂';
  const was = text.charAt(at);
  const other = /\d/.test(was) ? String((Number(was) + 1) % 10) : was === 'q' ? 'z' : 'q';
  return text.slice(0, at) + other + text.slice(at + 1);
}
