import { parseSync } from 'vite';

interface SyntaxNode {
  type: string;
  start: number;
  [field: string]: unknown;
}

/** Attributes and properties whose value a person reads or hears. */
const shownNames =
  /^(aria-(label|description|placeholder|roledescription|valuetext)|title|label|hint|lead|alt|placeholder|legend|text|problem|summary|heading|description|question|explanation|submitLabel)$/;
/** A word, but not the path of an icon. */
const letters = /^(?!M\d).*\p{L}{2}/su;
/** Two words, of which the first begins with a capital letter. */
const sentence = /^\p{Lu}[\p{L}’']*,? .*\p{Ll}/u;

/** Lists the texts of a file that are not in the catalogue, each with its line. */
export function findLooseTexts(file: string, code: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, isShown: boolean): void => {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, isShown));
    if (typeof value !== 'object' || value === null || !('type' in value)) return;
    const node = value as SyntaxNode;
    const text = toText(node);
    if (text !== undefined && (isShown ? letters : sentence).test(text)) {
      const line = code.slice(0, node.start).split('\n').length;
      found.push(`${file}:${line} ${text}`);
    }
    for (const [name, child] of Object.entries(node)) {
      if (!isHidden(node, name)) visit(child, toIsShown(node, name, isShown));
    }
  };
  visit(parseSync(file, code).program, false);
  return found;
}

function toText(node: SyntaxNode): string | undefined {
  if (node.type === 'JSXText') return String(node['value']).trim();
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type === 'TemplateElement') return (node['value'] as { cooked: string }).cooked;
  return undefined;
}

/** Imports, types, names of properties, and errors of the program. */
function isHidden(node: SyntaxNode, name: string): boolean {
  if (/^(Import|Export(All|Named)|TS(?!As|NonNull|Satisfies))/.test(node.type)) {
    return !(node.type === 'ExportNamedDeclaration' && name === 'declaration');
  }
  if (node.type === 'ThrowStatement' || (name === 'key' && node.type === 'Property')) return true;
  const callee =
    (node['callee'] as { name?: string; object?: { name?: string } } | undefined) ?? {};
  return /^(Error|console|getTexts?|getRichText)$/.test(callee.name ?? callee.object?.name ?? '');
}

/** Whether a short text at this place is shown, such as a child of an element. */
function toIsShown(node: SyntaxNode, name: string, isShown: boolean): boolean {
  const key = (node['name'] ?? node['key'] ?? node['id']) as
    | { name?: string; value?: string }
    | undefined;
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return name === 'children';
  if (/^(JSXAttribute|Property|VariableDeclarator)$/.test(node.type)) {
    return shownNames.test(String(key?.name ?? key?.value));
  }
  if (node.type === 'ConditionalExpression') return isShown && name !== 'test';
  if (node.type === 'LogicalExpression') return isShown && name === 'right';
  return isShown && /^(JSX|Template|Parenthesized|Array)/.test(node.type);
}
