import { parseSync } from 'vite';

/** What a person can read of a source file: strings, templates and the text between tags. */
export interface SourceText {
  /** Of what stands between the quotes. */
  start: number;
  end: number;
}

/** A declaration or property that is a number, a string, a list of them or a sum: no code. */
export interface PlainValue extends SourceText {
  kind: 'number' | 'list of texts';
  texts: SourceText[];
  /** Of the whole declaration. */
  from: number;
  to: number;
}

export interface ParsedSource {
  texts: SourceText[];
  values: PlainValue[];
  comments: { text: string; start: number; end: number }[];
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export function parseSource(file: string, code: string): ParsedSource {
  const { program, comments, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const parsed: ParsedSource = {
    texts: [],
    values: [],
    comments: comments.map(({ value: text, start, end }) => ({ text, start, end })),
  };
  visit(program as unknown as Node, parsed);
  return parsed;
}

function visit(node: Node, into: ParsedSource): void {
  if (isText(node)) into.texts.push(insideOf(node));
  const value = declaredValue(node);
  if (value) {
    const texts = textsOf(value);
    const kind = isSum(value) ? 'number' : texts.length > 0 ? 'list of texts' : null;
    const { start, end } = value;
    if (kind) into.values.push({ kind, texts, start, end, from: node.start, to: node.end });
  }
  for (const child of childrenOf(node)) visit(child, into);
}

/** Where a module comes from, and how a field is called, is nothing that anybody reads. */
const silent: Record<string, string[]> = {
  ImportDeclaration: ['source'],
  ImportExpression: ['source'],
  ExportAllDeclaration: ['source'],
  ExportNamedDeclaration: ['source'],
  Property: ['key'],
  TSLiteralType: ['literal'],
};

function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([key]) => !silent[node.type]?.includes(key))
    .flatMap(([, value]) => value)
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string');
}

function isText({ type, value }: Node): boolean {
  const isString = type === 'Literal' && typeof value === 'string';
  return isString || type === 'TemplateLiteral' || type === 'JSXText';
}

function insideOf({ type, start, end }: Node): SourceText {
  return type === 'JSXText' ? { start, end } : { start: start + 1, end: end - 1 };
}

function declaredValue(node: Node): Node | null {
  const value = node.type === 'VariableDeclarator' ? node['init'] : null;
  const of = node.type === 'Property' ? node['value'] : value;
  return of ? unwrapped(of as Node) : null;
}

function unwrapped(node: Node): Node {
  const wraps = node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression';
  return wraps ? unwrapped(node['expression'] as Node) : node;
}

function isSum(node: Node): boolean {
  if (node.type === 'Literal') return typeof node['value'] === 'number';
  const sides = [node['left'], node['right']] as Node[];
  return node.type === 'BinaryExpression' && sides.every(isSum);
}

function textsOf(node: Node): SourceText[] {
  if (isText(node)) return [insideOf(node)];
  const elements = node.type === 'ArrayExpression' ? (node['elements'] as Node[]) : [];
  return elements.filter(isText).map(insideOf);
}
