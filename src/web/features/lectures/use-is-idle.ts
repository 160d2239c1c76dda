import { useEffect, useState } from 'react';

const idleMs = 3000;
const signsOfUse = ['pointermove', 'pointerdown', 'keydown', 'focusin'];

/** Whether no one has used the computer for some seconds. */
export function useIsIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      setIsIdle(false);
      clearTimeout(timer);
      timer = setTimeout(() => setIsIdle(true), idleMs);
    };
    wait();
    for (const sign of signsOfUse) window.addEventListener(sign, wait);
    return () => {
      clearTimeout(timer);
      for (const sign of signsOfUse) window.removeEventListener(sign, wait);
    };
  }, []);
  return isIdle;
}
