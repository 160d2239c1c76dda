// The parsed form of a message: a tree of a few kinds of nodes, without HTML.

/** The cost that a message may have, as the number of elements that the browser has to make. */
export const maxMessageCost = 1000;

/** A part that is slow to show. */
interface Costly {
  /** The part exceeds the budget of its message, so it is shown without what makes it slow. */
  isPlain?: true;
}

export type Block =
  | { kind: 'paragraph'; content: readonly Inline[] }
  | { kind: 'heading'; level: 1 | 2 | 3; content: readonly Inline[] }
  | { kind: 'quote' | 'spoilerBlock'; blocks: readonly Block[] }
  | { kind: 'list'; isOrdered: boolean; items: readonly ListItem[] }
  | (Costly & { kind: 'codeBlock'; language: string; code: Text })
  | (Costly & { kind: 'formulaBlock'; formula: Text; typedSource: string })
  | { kind: 'table'; alignments: readonly Alignment[]; rows: readonly (readonly Inline[][])[] };

export interface ListItem {
  /** The mark as it was typed: '3.', '7)' or '-'. */
  mark: Text;
  blocks: readonly Block[];
}

export type Inline =
  | Text
  | { kind: 'strong' | 'emphasis' | 'strike' | 'spoiler'; content: readonly Inline[] }
  | { kind: 'code'; code: Text }
  | (Costly & { kind: 'formula'; formula: Text; typedSource: string; display: boolean })
  | Mention
  | {
      kind: 'link';
      href: string;
      /** The real host, if the text looks like another address. */
      target: string | null;
      /** What is typed in quotes behind the address. */
      title?: string | undefined;
      content: readonly Inline[];
    };

export interface Text {
  kind: 'text';
  text: string;
  /** Where the text begins in the message. Null if the message does not have it in this form. */
  from: number | null;
  /** The formula with its marks, if the text is the source of a formula that can be drawn. */
  typedFormula?: string;
  isCode?: true;
}

export interface Mention extends Costly {
  kind: 'mention';
  memberId: string;
}

/** A part of the readable text. */
export type Piece = Text | Mention;

export type Alignment = 'start' | 'center' | 'end';
