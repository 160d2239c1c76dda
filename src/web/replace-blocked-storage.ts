// A browser that blocks its storage throws at each access. This file replaces that storage by one in memory, so that the
// rest of the app can use storage in every browser. `main.tsx` imports this before everything else.
const methods = {
  getItem(this: Record<string, string>, key: string): string | null {
    return (Object.hasOwn(this, key) ? this[key] : null) ?? null;
  },
  setItem(this: Record<string, string>, key: string, value: string): void {
    this[key] = value;
  },
  removeItem(this: Record<string, string>, key: string): void {
    delete this[key];
  },
  clear(this: Record<string, string>): void {
    for (const key of Object.keys(this)) delete this[key];
  },
};

for (const name of ['localStorage', 'sessionStorage'] as const) {
  try {
    void window[name].length;
  } catch {
    Object.defineProperty(window, name, { value: Object.create(methods) as Storage });
  }
}

// oxlint-disable-next-line unicorn/require-module-specifiers -- Makes this file a module, which its test imports.
export {};
