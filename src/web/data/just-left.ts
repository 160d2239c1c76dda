// Classes that the member left in this tab. Their links open /home without an offer to join.
const keyOf = (classId: string) => `left:${classId}`;

export function isJustLeft(classId: string): boolean {
  return sessionStorage.getItem(keyOf(classId)) !== null;
}

export function markJustLeft(classId: string): void {
  sessionStorage.setItem(keyOf(classId), '1');
}

export function clearJustLeft(classId: string): void {
  sessionStorage.removeItem(keyOf(classId));
}
