// The emoji that the member used last in this browser. Signing out clears them.

const storageKey = 'recent-emoji';
const maxRecent = 24;

export function loadRecentEmoji(): readonly string[] {
  return (localStorage.getItem(storageKey) ?? '').split(' ').filter((emoji) => emoji !== '');
}

export function rememberEmoji(emoji: string): void {
  const recent = [emoji, ...loadRecentEmoji().filter((other) => other !== emoji)];
  try {
    localStorage.setItem(storageKey, recent.slice(0, maxRecent).join(' '));
  } catch {
    // Storage is full.
  }
}
