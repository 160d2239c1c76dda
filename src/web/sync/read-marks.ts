// Read positions of each class in this browser. The server stores a read position only with a persona, so it
// has none for members who have not posted.

export interface ReadMarks {
  /** The last seq that was read in this history of the class. */
  of(classId: string, epoch: string): number | null;
  keep(classId: string, epoch: string, seq: number): void;
  forget(classId: string): void;
  /** Another tab moved a read position. */
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
      // Storage is full or forbidden: the value lasts until the tab closes.
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

/** Clears all read positions at sign-out, because another person may sign in next. */
export function forgetReadMarks(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
}
