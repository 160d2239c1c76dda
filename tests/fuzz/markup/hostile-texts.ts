// Random texts of messages that are written to break the parser, a formula, or the colors of code. Pieces that have
// broken something before are here too.
import { limits } from '#contract/limits.ts';
import type { Random } from '#tests/support/random.ts';

const marks =
  '* ** *** _ __ ~~ ` `` ``` ~~~ $ $$ \\( \\) \\[ \\] \\begin{align} \\end{align} \\ \\\\ [ ] ( ) ]( [a]( [a](https://b.c) ![ < > | || ||| ||a|| |-| |-|-| # ## - 1. 9) 007. + 999999999. : @ " \' &amp; <b> -->'
    .split(' ')
    .concat(
      ' ',
      '  ',
      '\t',
      '\n',
      '\n\n',
      '> ',
      '>> ',
      '- ',
      '  - ',
      '# ',
      '1. ',
      '    ',
      '|a|b|\n|-|-|\n',
      '\\\n',
    );
const addresses =
  'http:// https:// <http: <? <!A www. www.a.b https://a.b/ https://a.b/(c) a@b.c mailto:a@b.c javascript:alert(1) data:text/html,x vbscript:x //a.b/ <https://a.b> https://а.b https://a.b@c.d https://1.2.3.4 [https://a.b](https://c.d) <@aaaaaaaaaaaaaaaa> \\<@aaaaaaaaaaaaaaaa> <@bbbbbbbbbbbbbbbb'.split(
    ' ',
  );
const characters = [
  ...['a', 'A', '0', '9', 'é', '字', 'ﬁ', 'ß', 'İ'],
  ...['e\u0301', 'a\u0300\u0301\u0302', '\u200b', '\u200d', '\u2060', '\u00ad', '\ufeff', '\u061c'],
  ...['\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u2066', '\u2067', '\u2069', '\u2028'],
  ...['😀', '👩‍👩‍👧‍👦', '🏳️‍🌈', '\ufe0f', '🇩🇪', 'שלום', 'مرحبا', '\u3164', '\u2800', '\u00a0', '\u3000'],
];
const formulaPieces =
  '^ _ { } \\{ \\} & \\\\ \\frac \\sqrt \\sqrt[ ] \\left( \\right) \\left. \\middle| \\hat \\overline \\underbrace \\text{ \\mathrm{ \\begin{matrix} \\end{matrix} \\begin{cases} \\end{cases} \\begin{align} \\end{align} \\href{javascript:alert(1)}{ \\url{ \\htmlClass{a}{ \\class{a}{ \\id{a}{ \\style{color:red}{ \\data{a=b}{ \\includegraphics{a} \\color{red} \\textcolor{red}{ \\colorbox{red}{ \\def\\a{ \\newcommand \\let \\gdef \\a \\char"202E \\unicode{x202E} \\kern-99em \\hspace{-99em} \\raisebox{99em}{ \\rule{99em}{99em} \\Huge \\tag{ \\label{ \\ref{ \\cancel \\boxed \\fbox{ \\phantom \\smash \\rlap{ \\mathllap \\verb|a| \\operatorname \\sum \\int \\xrightarrow \\overset{ \\mathchoice \\limits \\not \\prime \' % # ~ x 1 + \\, \\tiny \\bcancel{ \\enclose{ \\array \\multicolumn{3}{c}{ \\hline \\cline{1-2} \\ce{ \\pu{ \\sideset \\dfrac \\binom \\above 9em \\over \\atop \\choose \\displaystyle \\scriptstyle \\bigl \\mathbb \\mathcal \\boldsymbol \\operatorname*{ \\pmod \\stackrel{ \\substack{ \\vec'.split(
    ' ',
  );
const codePieces =
  '( ) [ ] { } < > </ /> <a <!-- --> <![CDATA[ ]]> <script> </script> <?php /* */ // # \' " ` """ \'\'\' r" R"( )" $ ${ #{ @ @" \\ \\\\ \\u{ % %% ^ & * - -- -> => = == : :: ; , . ... ? ! | || ~ 0x 1e 1_ 1. .1 a A a1 _ def class function select from where begin end let in if then else return import template< typename async new \\begin{ \\verb| @@ +++ --- +a -a <- :- forall. {- -} ~~ a: .a #a a( a< a{ a[ =~ r# b\' f"{ <<EOF EOF'
    .split(' ')
    .concat(' ', '  ', '\t', '\n', '\n\n');
const languages =
  'bash c cpp csharp css diff go haskell java javascript json latex matlab python r rust sql typescript xml html sh js ts tsx constructor __proto__ toString x'.split(
    ' ',
  );

const repeatUnit = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / Math.max(1, unit.length))).slice(0, length);

function joinPieces(random: Random, pieces: readonly string[], maxCount: number): string {
  return Array.from({ length: random.int(1, maxCount) }, () => random.pick(pieces)).join('');
}

/** Few pieces, repeated up to the limit, are what makes a parser slow. */
function createRepeatedPieces(random: Random, pieces: readonly string[], length: number): string {
  const parts = random.int(1, 3);
  return Array.from({ length: parts }, () =>
    repeatUnit(joinPieces(random, pieces, 4), Math.floor(length / parts)),
  ).join('');
}

function createPieces(random: Random, pieces: readonly string[], length: number): string {
  return random.chance(0.5)
    ? createRepeatedPieces(random, pieces, length)
    : joinPieces(random, pieces, length / 4);
}

function createHostileFormula(random: Random): string {
  return createPieces(random, formulaPieces, 2000).slice(0, random.chance(0.8) ? 2000 : 60);
}

function createHostileCode(random: Random): string {
  return createPieces(random, codePieces, 4000).slice(0, limits.messageText);
}

const textPieces = [...marks, ...addresses, ...characters];

/** A text that the server accepts, of at most 4,000 characters. */
export function createHostileText(random: Random): string {
  const text = random.pick([
    () => createPieces(random, marks, limits.messageText),
    () => createPieces(random, textPieces, limits.messageText),
    () => createPieces(random, addresses, limits.messageText),
    () => joinPieces(random, textPieces, 40),
    () =>
      repeatUnit(
        `$${createHostileFormula(random).slice(0, random.int(1, 80))}$ `,
        limits.messageText,
      ),
    () => `$$${createHostileFormula(random)}$$`,
    () => `\`\`\`${random.pick(languages)}\n${createHostileCode(random)}\n\`\`\``,
    () => createLines(random),
  ])();
  return text.slice(0, limits.messageText).replace(/[\ud800-\udbff]$/, '');
}

/** Lines that nest blocks in each other. */
function createLines(random: Random): string {
  const prefix = joinPieces(random, ['> ', '>', '- ', '  ', '1. ', '    ', '\t', '* '], 20);
  const createLine = () =>
    prefix.slice(0, random.int(0, prefix.length)) + joinPieces(random, textPieces, 8);
  return Array.from({ length: random.int(2, 200) }, createLine).join('\n');
}
