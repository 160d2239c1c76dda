// Puts values into a message of a catalogue, for the server and the browser. Its compiled form is that of icu-minify, whose own
// formatter is larger and creates an `Intl.NumberFormat` for each number.

/** A text, `#`, or a value with its name: plain, with a type and its options, or a tag with its content. */
type MessageNode = string | 0 | readonly [name: string, ...rest: readonly unknown[]];
export type Message = string | readonly MessageNode[];
type Branches = Readonly<Record<string, Message | 0>>;

export const nodeTypes = { select: 1, plural: 2, number: 4 } as const;

export interface MessageStyle {
  formatNumber(value: number): string;
  /** The plural category, such as 'one'. */
  toCategory(value: number): string;
  /** Keeps the direction of a value apart from that of the text around it. */
  isolate?(value: unknown): unknown;
}

/** @returns the parts of the message: texts, values, and what the functions of its tags return */
export function toParts(
  message: Message | 0,
  values: Readonly<Record<string, unknown>>,
  style: MessageStyle,
  count = 0,
): unknown[] {
  const nodes: readonly MessageNode[] = typeof message === 'object' ? message : [message];
  return nodes.flatMap((node): unknown => {
    if (typeof node === 'string') return node;
    if (node === 0) return style.formatNumber(count);
    const [name, type, options] = node;
    const value = values[name];
    if (type === undefined) return style.isolate?.(value) ?? value;
    if (type === nodeTypes.number) return style.formatNumber(value as number);
    if (type === nodeTypes.select || type === nodeTypes.plural) {
      const branches = options as Branches;
      const branch =
        type === nodeTypes.select
          ? branches[value as string]
          : (branches[`=${value as number}`] ?? branches[style.toCategory(value as number)]);
      return toParts(branch ?? branches['other'] ?? '', values, style, value as number);
    }
    const content = node.slice(1) as MessageNode[];
    return (value as (parts: unknown[]) => unknown)(toParts(content, values, style, count));
  });
}
