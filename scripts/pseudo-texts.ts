// Languages that show faults of the layout, made from the English texts: `en-XA` has accents and is 40 % longer, `ar-XB` runs from
// right to left. `npm run texts -- --pseudo` writes their files, which Git ignores.
import { nodeTypes } from '#contract/message-format.ts';
import { isTag, loadCatalogue } from '#server/base/catalogues.ts';

const plain = 'AaBCcDdEeGgHhIiJjKkLlNnOoPRrSsTtUuWwYyZz';
const accented = 'ÅåßÇçÐðÉéĜĝĤĥÎîĴĵĶķĻļÑñÖöÞŔŕŠšŢţÛûŴŵÝýŽž';

export const pseudoLanguages: Readonly<Record<string, (text: string) => string>> = {
  'en-XA': (text) => {
    const letters = text.replace(/[a-z]/gi, (letter) => accented[plain.indexOf(letter)] ?? letter);
    return /\w/.test(text)
      ? `${letters}${'~~~~~~~~ '.repeat(text.length).slice(0, Math.ceil(text.length * 0.4))}`
      : text;
  },
  // Each word runs from right to left, whatever its letters are.
  'ar-XB': (text) => text.replace(/\w[\w'’-]*/g, '\u202e$&\u202c'),
};

export function toPseudoTexts(language: string, change: (text: string) => string): string {
  const entries = [...loadCatalogue('en').texts].map(([key, message]) => [
    key,
    toSyntax(message, change),
  ]);
  const head = { '@@locale': language, '@@x-reviewed': ['*'] };
  return JSON.stringify({ ...head, ...Object.fromEntries(entries) });
}

/** Writes a compiled message, or a part of it, in ICU syntax again, with other texts. */
function toSyntax(part: unknown, change: (text: string) => string): string {
  if (typeof part === 'string') {
    return change(part)
      .replaceAll("'", "''")
      .replaceAll(/[{}<>]/g, "'$&'");
  }
  if (!Array.isArray(part)) return '#';
  const nodes: unknown[] = part;
  return nodes
    .map((node) => (Array.isArray(node) ? toValue(node, change) : toSyntax(node, change)))
    .join('');
}

function toValue(node: unknown[], change: (text: string) => string): string {
  const [name, type, options] = node as [string, unknown, Readonly<Record<string, unknown>>];
  if (type === undefined) return `{${name}}`;
  if (isTag(type)) return `<${name}>${toSyntax(node.slice(1), change)}</${name}>`;
  if (type === nodeTypes.number) return `{${name}, number}`;
  const branches = Object.entries(options).map(
    ([key, branch]) => `${key} {${toSyntax(branch, change)}}`,
  );
  return `{${name}, ${type === nodeTypes.select ? 'select' : 'plural'}, ${branches.join(' ')}}`;
}
