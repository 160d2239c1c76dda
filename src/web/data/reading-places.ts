// Where the member left the list of each class, while the tab is open.

/** A message at the top of the window, and how many pixels of it are scrolled out. */
export interface ReadingPlace {
  messageId: string;
  hiddenPx: number;
}

const places = new Map<string, ReadingPlace>();

/** Null: the member left the class at the newest message. */
export function getSavedPlace(classId: string): ReadingPlace | null {
  return places.get(classId) ?? null;
}

export function savePlace(classId: string, place: ReadingPlace | null): void {
  if (place) places.set(classId, place);
  else places.delete(classId);
}
