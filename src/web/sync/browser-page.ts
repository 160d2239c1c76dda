/** Reports whether the tab is visible and when a retry is worthwhile. */
export interface Page {
  isVisible(): boolean;
  /** Called when the tab becomes visible or the network returns. @returns unsubscribe */
  onWake(listener: () => void): () => void;
}

export const browserPage: Page = {
  isVisible: () => document.visibilityState === 'visible',
  onWake(listener) {
    const woken = () => {
      if (browserPage.isVisible()) listener();
    };
    addEventListener('online', woken);
    document.addEventListener('visibilitychange', woken);
    return () => {
      removeEventListener('online', woken);
      document.removeEventListener('visibilitychange', woken);
    };
  },
};
