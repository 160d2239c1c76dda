// Applies the settings of this browser and the width of its class list before the first paint: modules run after it. vite.config.ts adds this
// file to the page as a classic script, so it has no imports and no types. data/settings.ts checks the values
// and applies every later change.
try {
  const { theme, textSize, density } = JSON.parse(localStorage.getItem('settings') ?? '{}');
  const settings = { theme, textSize, density };
  Object.assign(document.documentElement.dataset, settings);
  // list-resizer.tsx
  const listWidth = Number(localStorage.getItem('class-list-width'));
  if (listWidth) document.documentElement.style.setProperty('--list', `${listWidth}px`);
} catch {
  // Unreadable settings mean the defaults.
}
