/** A promise that a history breaks. */
export interface Violation {
  rule: Rule;
  detail: string;
}

export type Rule =
  | 'acknowledged once everywhere'
  | 'rejected nowhere'
  | 'unknown at most once'
  | 'retried until answered'
  | 'one acknowledgement'
  | 'no unknown messages'
  | 'latest change'
  | 'no gaps'
  | 'same for all clients'
  | 'rows'
  | 'membership'
  | 'equal in time'
  | 'memory'
  | 'observed';
