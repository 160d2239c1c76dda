/** Text that survives a reload of this tab. */
export interface TabStorage {
  read(key: string): string | null;
  /** Null removes the text. */
  write(key: string, text: string | null): void;
}

export const browserTabStorage: TabStorage = {
  read: (key) => sessionStorage.getItem(key),
  write(key, text) {
    try {
      if (text === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, text);
    } catch {
      // Storage is full. Memory still has the text.
    }
  },
};
