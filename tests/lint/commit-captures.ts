// Finds what a change relies on without reading it in its commit: rights, rows and lists that were read outside.
import { parseSync } from 'vite';

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

export interface Capture {
  name: string;
  line: number;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function listChildren(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** The node and all nodes below it. */
function* walkNodes(node: Node, withFunctions = true): Generator<Node> {
  yield node;
  for (const child of listChildren(node)) {
    if (withFunctions || !isFunction(child)) yield* walkNodes(child, withFunctions);
  }
}

const isFunction = ({ type }: Node) => /^(Arrow)?Function/.test(type);

/** The names that a pattern declares. */
function listNames(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [String(pattern['name'])];
    case 'Property':
      return listNames(pattern['value'] as Node);
    case 'AssignmentPattern':
      return listNames(pattern['left'] as Node);
    default:
      return listChildren(pattern).flatMap(listNames);
  }
}

/** Ids name what the change then reads. */
const isId = (name: string) => /(?:^ids?|Ids?)$/.test(name);

/** Whether it is a call of a commit queue. */
function isWrite(node: Node): boolean {
  const callee = node['callee'] as { object?: Node; property?: Node; name?: string } | undefined;
  // `commits`, `this.#commits` or `this.#dependencies.commits`
  const owner = (callee?.object?.['property'] as Node | undefined) ?? callee?.object;
  const queue = String(owner?.['name'] ?? '');
  const isMethod = callee?.property?.['name'] === 'write' && /commits$/i.test(queue);
  return node.type === 'CallExpression' && (isMethod || callee?.name === 'write');
}

/** Whether the expression waits for something of the database that is open outside of commits. */
function hasOutsideRead(expression: Node): boolean {
  return [...walkNodes(expression, false)].some(
    (node) =>
      node.type === 'AwaitExpression' &&
      !isWrite(node['argument'] as Node) &&
      [...walkNodes(node)].some(
        ({ type, name }) =>
          /^(?:Private)?Identifier$/.test(type) &&
          /^(?:db|dependencies|server|reader)$/.test(String(name)),
      ),
  );
}

/** The variables of a function that hold what was read outside. */
function findOutsideReads(scope: Node, end: number): Set<string> {
  const names: string[] = [];
  for (const node of walkNodes(scope)) {
    if (node.start >= end) continue;
    const init = (node['init'] ?? node['right']) as Node | null;
    if (node.type === 'VariableDeclarator' && init && hasOutsideRead(init)) {
      names.push(...listNames(node['id'] as Node));
    }
    const isLoop = node.type === 'ForOfStatement' && (node['end'] as number) > end;
    if (isLoop && init && (node['await'] === true || hasOutsideRead(init))) {
      const [declared] = (node['left'] as { declarations: Node[] }).declarations;
      if (declared) names.push(...listNames(declared['id'] as Node));
    }
  }
  return new Set(names.filter((name) => !isId(name)));
}

/** Every change of a commit queue, with the function around it. */
function* walkChanges(
  node: Node,
  scope: Node | null = null,
): Generator<{ change: Node; scope: Node }> {
  const around = scope ?? (isFunction(node) ? node : null);
  if (around && isWrite(node)) {
    const [change] = node['arguments'] as Node[];
    if (change && isFunction(change)) yield { change, scope: around };
  }
  for (const child of listChildren(node)) yield* walkChanges(child, around);
}

function listCaptures(change: Node, outside: ReadonlySet<string>): Node[] {
  const ownNames = new Set(
    [...walkNodes(change)].flatMap((node) => {
      if (node.type === 'VariableDeclarator') return listNames(node['id'] as Node);
      return isFunction(node) ? (node['params'] as Node[]).flatMap(listNames) : [];
    }),
  );
  const captures: Node[] = [];
  const visit = (node: Node): void => {
    const { object, property, computed } = node as Node & { object?: Node; property?: Node };
    if (node.type === 'MemberExpression' && object && property && computed === false) {
      if (!isId(String(property['name']))) visit(object);
      return;
    }
    if (node.type === 'Property' && node['computed'] === false) return visit(node['value'] as Node);
    const name = String(node['name']);
    if (node.type === 'Identifier' && outside.has(name) && !ownNames.has(name)) captures.push(node);
    for (const child of listChildren(node)) visit(child);
  };
  visit(change);
  return captures;
}

/** What the changes of a file capture. */
export function findCaptures(fileName: string, text: string): Capture[] {
  const program = parseSync(fileName, text).program as unknown as Node;
  const getLineNumber = ({ start }: Node) => text.slice(0, start).split('\n').length;
  return [...walkChanges(program)].flatMap(({ change, scope }) =>
    listCaptures(change, findOutsideReads(scope, change.start)).map((node) => ({
      name: String(node['name']),
      line: getLineNumber(node),
    })),
  );
}
