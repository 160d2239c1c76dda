export interface FormulaProps {
  source: string;
  /** The formula has its own line. */
  display: boolean;
  tabIndex: number;
}

/** A formula as its author typed it. */
export function toTypedFormula({ source, display }: FormulaProps): string {
  const marks = display ? '$$' : '$';
  return `${marks}${source}${marks}`;
}
