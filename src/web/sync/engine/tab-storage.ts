/** Text that survives a reload of this tab. */
export interface TabStorage {
  read(key: string): string | null;
  /** Null removes the text. */
  write(key: string, text: string | null): void;
}

const createTextStorage = (name: 'sessionStorage' | 'localStorage'): TabStorage => ({
  read: (key) => globalThis[name].getItem(key),
  write(key, text) {
    try {
      if (text === null) globalThis[name].removeItem(key);
      else globalThis[name].setItem(key, text);
    } catch {
      // Storage is full. Memory still has the text.
    }
  },
});

export const browserTabStorage = createTextStorage('sessionStorage');

/** Text that all tabs of this browser share. */
export const browserStorage = createTextStorage('localStorage');
