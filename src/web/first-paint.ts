// Applies the settings of this browser before the first paint: modules run after it. vite.config.ts adds this
// file to the page as a classic script, so it has no imports and no types. data/settings.ts checks the values
// and applies every later change.
try {
  const { theme, textSize, density } = JSON.parse(localStorage.getItem('settings') ?? '{}');
  const settings = { theme, textSize, density };
  Object.assign(document.documentElement.dataset, settings);
} catch {
  // Unreadable settings mean the defaults.
}
