// Rows that name an account store days instead of times: a finer time could match that of another row.
const dayMs = 86_400_000;

/** Days since 1970. */
export function getToday(): number {
  return toDay(new Date());
}

/** Days since 1970. */
export function toDay(time: Date): number {
  return Math.floor(time.getTime() / dayMs);
}

/** @param day days since 1970 */
export function toDate(day: number): Date {
  return new Date(day * dayMs);
}

export function startOfDay(time = new Date()): Date {
  return toDate(toDay(time));
}

/** YYYY-MM-DD */
export function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
