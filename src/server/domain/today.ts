/** Days since 1970: a finer time could match that of another row. */
export function today(): number {
  return Math.floor(Date.now() / 86_400_000);
}
