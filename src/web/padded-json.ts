/** Returns JSON that ends in spaces, so that its size does not tell an observer of the network what the member chose. */
export function toPaddedJson(value: unknown, step: number): string {
  const json = JSON.stringify(value);
  const excess = new Blob([json]).size % step;
  return excess === 0 ? json : json + ' '.repeat(step - excess);
}
