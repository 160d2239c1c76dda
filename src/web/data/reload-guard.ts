// Whether the page can be loaded again without a question, and nothing that the member typed is lost.

const guards = new Set<() => boolean>();

/**
 * @param hasUnsaved whether something would be lost
 * @returns removes the guard
 */
export function guardReload(hasUnsaved: () => boolean): () => void {
  guards.add(hasUnsaved);
  return () => guards.delete(hasUnsaved);
}

export function canReload(): boolean {
  return ![...guards].some((hasUnsaved) => hasUnsaved());
}
