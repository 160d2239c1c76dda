import { createStore, type Store } from './store.ts';

/** Code that is loaded on its first use. The snapshot is null until then. */
export interface LazyModule<Module> extends Store<Module | null> {
  /** Starts to load it, unless it is loaded or loading. After a failure, the next call tries again. */
  load(): Promise<void>;
}

export function createLazyModule<Module>(importModule: () => Promise<Module>): LazyModule<Module> {
  const { getSnapshot, set, subscribe } = createStore<Module | null>(null);
  let loading: Promise<void> | null = null;
  let importNext = importModule;
  return {
    getSnapshot,
    subscribe,
    load() {
      loading ??= importNext().then(
        (module) => set(module),
        (error: unknown) => {
          loading = null;
          const url = findRetryUrl(error);
          if (url) importNext = () => import(/* @vite-ignore */ url) as Promise<Module>;
        },
      );
      return loading;
    },
  };
}

/** Firefox never requests a module's URL again after a failure, but names it in the error. Other browsers do request it. */
function findRetryUrl(error: unknown): string | null {
  const message = /^TypeError: error loading dynamically imported module: ([^?]+)/;
  const [, url] = message.exec(String(error)) ?? [];
  return url ? `${url}?${Date.now()}` : null;
}

/** Whether the error says that code or its style could not be fetched, in Chromium, Firefox, Safari, or in Vite's preloading. */
export function isMissingCode(error: unknown): boolean {
  return /dynamically imported module|module script failed|preload CSS/.test(String(error));
}

const preloaded: LazyModule<unknown>[] = [];

/** Code that is soon needed: `preloadModules` loads it, or its first use if that comes earlier. */
export function createPreloadedModule<Module>(
  importModule: () => Promise<Module>,
): LazyModule<Module> {
  const module = createLazyModule(importModule);
  preloaded.push(module);
  return module;
}

export function preloadModules(): void {
  for (const module of preloaded) void module.load();
}
