// Messages in the shapes that people write them.
import { limits } from '#contract/limits.ts';
import type { Random } from '#tests/support/random.ts';

const words =
  'the midterm is on friday but naïve me thought it’s next week so lol who has notes for lecture 7 pls coöperate ok'.split(
    ' ',
  );
const emojis = ['😂', '❤️', '👩🏽‍🔬', '🏳️‍🌈', '🇳🇿', '1️⃣', '🫠'];

const shortTexts = [
  'ok',
  '?',
  'same',
  'ja',
  '¿Qué?',
  '好的',
  "don't",
  '...',
  '50% off & 2 < 3 > 1',
  "'; drop table messages; --",
  '$& $1 $` \\1 {{x}} %s ${x}',
  'C:\\Users\\ada\\notes (1).txt',
  '__init__ and *args, **kwargs and snake_case_name',
  '=HYPERLINK("https://example.org")',
];

const longerTexts = [
  // A word processor writes typographic quotes, no-break spaces, soft hyphens and tabs.
  '“Ratio­nal” choice\u00a0— see\u00a0p.\u00a012\u00a0ff.\t•\tfirst point…\n\t•\tsecond ‘point’\u2011 end\u00ad.\n\n1.\tIntro\u00adduction\n2.\tMethods',
  'The word السلام عليكم is a greeting, and 3 < 5 in مثال 12, see (שלום).',
  'مرحبا بالجميع، متى الامتحان؟ CS 146 في room 12-B؟',
  '```java\nfor (int i = 0; i < n; i++) {\n\ta[i] = "x" + \'y\'; // <b>\n}\n```\nwhy does this throw?',
  "SELECT * FROM t WHERE a LIKE '%x_%' ESCAPE '!'; -- and `inline` \"code\"",
  'Then $\\int_0^1 x^2\\,dx = \\frac{1}{3}$, so $$\\sum_{k=1}^n k = \\frac{n(n+1)}{2}$$ holds.',
  'It costs $5 or $6, not $7.',
  'https://example.org/a_(b)?q=1&r=%20#x and www.example.org/ü, (see http://例え.jp/パス).',
  '> > > but why\n> > because\n> ok\nagreed',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] x\n- y\n  - z\n\n# Title\n\n---',
  'e\u0301te\u0301, क्षत्रिय, ภาษาไทย, 한국어, 𝒳 𝔸, ﬁnal',
  "Mail ada.o'neil@example.org or call +64 (0)9 123-45\u00a067 ext. 8",
];

/** Each makes one shape of message. */
const shapes: readonly ((random: Random) => string)[] = [
  (random) => random.pick(shortTexts),
  (random) => createSentence(random, random.int(4, 25)),
  (random) => random.pick(longerTexts),
  (random) => Array.from({ length: random.int(1, 12) }, () => random.pick(emojis)).join(''),
  (random) =>
    Array.from({ length: random.int(5, 15) }, () => createSentence(random, 40)).join('\n\n'),
  (random) => `${'> '.repeat(random.int(1, 6))}${createSentence(random, 8)}\n\n+1`,
];
const longestShapes: readonly ((random: Random) => string)[] = [
  (random) => createSentence(random, limits.messageText).slice(0, limits.messageText).trimEnd(),
  () => 'a'.repeat(limits.messageText),
  () => '🫠'.repeat(limits.messageText / 2),
];

/** @param n the message's number. A hundred of them have every short and longer text. */
export function createMessageText(random: Random, n: number): string {
  if (n % 50 === 49) return longestShapes[Math.floor(n / 50) % longestShapes.length]!(random);
  const turn = Math.floor(n / shapes.length);
  if (n % shapes.length === 0) return shortTexts[turn % shortTexts.length]!;
  if (n % shapes.length === 2) return longerTexts[turn % longerTexts.length]!;
  return shapes[n % shapes.length]!(random);
}

function createSentence(random: Random, length: number): string {
  return Array.from({ length }, () => random.pick(words)).join(' ');
}
