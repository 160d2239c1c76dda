// Functions that run inside the page. They can use only their argument, because the browser gets their source text.

declare global {
  interface Window {
    /** When the first message was painted, in milliseconds since the navigation. */
    firstMessageAt?: number;
    /** The time from each click on a class to the painted messages of its room. */
    switchTimes: number[];
    /** The time from each key press that took 16 ms or more to the next paint. */
    keyTimes: number[];
    /** The time between each two frames. */
    frameTimes: number[];
  }
}

/** Install it before the page loads. */
export function watchFirstMessage(selector: string): void {
  const look = () => {
    if (!document.querySelector(selector)) requestAnimationFrame(look);
    // A timer that is set before a frame's paint runs after it.
    else setTimeout(() => (window.firstMessageAt = performance.now()));
  };
  requestAnimationFrame(look);
}

export function watchSwitches(selector: string): void {
  window.switchTimes = [];
  const onClick = (event: Event) => {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLAnchorElement>('a[href^="/home/"]');
    if (!link) return;
    const messageBefore = document.querySelector(selector);
    const look = () => {
      const message = document.querySelector(selector);
      const isShown = message && message !== messageBefore && location.pathname === link.pathname;
      if (!isShown) requestAnimationFrame(look);
      else setTimeout(() => window.switchTimes.push(performance.now() - event.timeStamp));
    };
    requestAnimationFrame(look);
  };
  addEventListener('click', onClick, { capture: true });
}

export function watchKeys(): void {
  window.keyTimes = [];
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      if (name === 'keydown') window.keyTimes.push(duration);
    }
  });
  // 16 ms is the lowest threshold that browsers accept.
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

export function watchFrames(): void {
  window.frameTimes = [];
  let previousTime = performance.now();
  const onFrame = (now: number) => {
    window.frameTimes.push(now - previousTime);
    previousTime = now;
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
}
