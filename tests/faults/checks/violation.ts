/** A promise that a history breaks. */
export interface Violation {
  rule: Rule;
  says: string;
}

export type Rule =
  | 'acknowledged once everywhere'
  | 'refused nowhere'
  | 'unknown none or one'
  | 'retried to an end'
  | 'one acknowledgement'
  | 'nothing from nowhere'
  | 'latest change'
  | 'no holes'
  | 'same for all'
  | 'rows'
  | 'membership'
  | 'equal in time'
  | 'memory'
  | 'observed';
