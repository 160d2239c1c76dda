/** Whether somebody looks at this tab, and when it is worth trying again. */
export interface Page {
  isVisible(): boolean;
  /** The tab came to the front, or the network came back. @returns how to stop listening */
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
