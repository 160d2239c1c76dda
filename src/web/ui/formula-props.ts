export interface FormulaProps {
  source: string;
  /** The formula with its marks, as its author typed it. */
  typedSource: string;
  /** The formula has its own line. */
  display: boolean;
  tabIndex: number;
  /** The punctuation after a formula that has its own line. */
  closing?: string;
}
