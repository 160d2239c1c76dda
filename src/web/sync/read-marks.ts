// How far each class was read in this browser. The server keeps that with a persona, and so not for who
// has said nothing yet.

export interface ReadMarks {
  /** The last seq that was read, of this history of the class. */
  of(classId: string, epoch: string): number | null;
  keep(classId: string, epoch: string, seq: number): void;
  forget(classId: string): void;
  /** Another tab has read something. */
  onChange(listener: (classId: string) => void): () => void;
}

const prefix = 'read:';

export const browserReadMarks: ReadMarks = {
  of(classId, epoch) {
    const [of, seq] = (localStorage.getItem(prefix + classId) ?? '').split(' ');
    return of === epoch && seq ? Number(seq) : null;
  },
  keep(classId, epoch, seq) {
    try {
      localStorage.setItem(prefix + classId, `${epoch} ${seq}`);
    } catch {
      // Full or forbidden: it is known until the tab is closed.
    }
  },
  forget: (classId) => localStorage.removeItem(prefix + classId),
  onChange(listener) {
    const heard = ({ key }: StorageEvent) => {
      if (key?.startsWith(prefix)) listener(key.slice(prefix.length));
    };
    addEventListener('storage', heard);
    return () => removeEventListener('storage', heard);
  },
};

/** Another person may sign in next. */
export function forgetReadMarks(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
}
