import { createStore, type Store } from '#web/store.ts';
import { useStore } from '#web/use-store.ts';

/** Each setting with its values. The first one is the default. */
const settingValues = {
  theme: ['system', 'light', 'dark'],
  textSize: ['default', 'small', 'large', 'largest'],
  density: ['comfortable', 'compact'],
  /** Whether a character alone is a shortcut: '?', and the letters and digits of `/moderation` and of the hall. */
  characterKeys: ['on', 'off'],
  /** Whether the composer shows how a text with Markdown will look. */
  preview: ['on', 'off'],
  /** Whether this browser keeps messages for the time without a network. */
  keepMessages: ['on', 'off'],
} as const;

type SettingValues = typeof settingValues;
export type SettingName = keyof SettingValues;
export type Settings = { [Name in SettingName]: SettingValues[Name][number] };

/** first-paint.ts reads the same entry. */
export const settingsKey = 'settings';

const store = createStore(loadSettings());
/** The settings of this browser. */
export const settings: Store<Settings> = store;

function loadSettings(): Settings {
  const storedSettings = parse(localStorage.getItem(settingsKey));
  const { theme, textSize, density, characterKeys, preview, keepMessages } = settingValues;
  return {
    theme: parseOption(theme, storedSettings['theme']),
    textSize: parseOption(textSize, storedSettings['textSize']),
    density: parseOption(density, storedSettings['density']),
    characterKeys: parseOption(characterKeys, storedSettings['characterKeys']),
    preview: parseOption(preview, storedSettings['preview']),
    keepMessages: parseOption(keepMessages, storedSettings['keepMessages']),
  };
}

function parseOption<Value>(values: readonly [Value, ...Value[]], storedValue: unknown): Value {
  return values.find((value) => value === storedValue) ?? values[0];
}

function parse(text: string | null): Partial<Record<string, unknown>> {
  try {
    const parsedSettings: unknown = JSON.parse(text ?? '{}');
    return typeof parsedSettings === 'object' && parsedSettings !== null
      ? { ...parsedSettings }
      : {};
  } catch {
    return {};
  }
}

function apply(nextSettings: Settings): void {
  const { theme, textSize, density, characterKeys } = nextSettings;
  // tokens.css and the styles of components select by these attributes.
  Object.assign(document.documentElement.dataset, { theme, textSize, density, characterKeys });
  for (const scheme of ['light', 'dark'] as const) {
    const meta = document.querySelector<HTMLMetaElement>(`meta[data-scheme=${scheme}]`);
    const schemeMedia = theme === scheme ? 'all' : 'not all';
    if (meta) meta.media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : schemeMedia;
  }
  store.set(nextSettings);
}

/** Applies the settings of this browser, and every later change of them in another tab. */
export function followSettings(): void {
  apply(store.getSnapshot());
  window.addEventListener('storage', ({ key }) => {
    // A sign-out in another tab clears the storage: the key is then null.
    if (key === settingsKey || key === null) apply(loadSettings());
  });
}

/** Changes a setting in all tabs of this browser. */
export function changeSetting<Name extends SettingName>(name: Name, value: Settings[Name]): void {
  const changedSettings = { ...store.getSnapshot(), [name]: value };
  try {
    localStorage.setItem(settingsKey, JSON.stringify(changedSettings));
  } catch {
    // Storage is full. The setting still holds for this tab.
  }
  apply(changedSettings);
}

export function useSettings(): Settings {
  return useStore(settings);
}
