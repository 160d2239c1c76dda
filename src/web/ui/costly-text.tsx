import { createContext, type ReactNode, useEffect, useRef, useState } from 'react';
import { createCache } from '#web/markup/cache.ts';
import { drawNearWindow } from './draw-near-window.ts';
import { useIsPrinting } from './printing.ts';

/** Whether formulas and the colors of code are drawn. */
export const IsDrawn = createContext(true);

/** The heights of texts that were drawn, so that a row has its height before it is drawn again. */
const heights = createCache<string, { px: number | undefined }>(1000);

interface Props {
  /** Texts with the same key have the same height. */
  heightKey: string;
  cost: number;
  children: ReactNode;
}

/** A text whose formulas and colors are drawn when it is near the window. */
export function CostlyText({ heightKey, cost, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  const isPrinting = useIsPrinting();
  const isDrawn = isNear || isPrinting;
  const height = heights.get(heightKey, () => ({ px: undefined }));
  useEffect(() => {
    if (!element.current) return;
    return drawNearWindow(element.current, {
      cost,
      draw: isNear ? null : () => setIsNear(true),
      onHeight: (px) => (height.px = px),
    });
  }, [cost, isNear, height]);
  return (
    <div ref={element} style={isDrawn ? undefined : { height: height.px, overflow: 'clip' }}>
      <IsDrawn value={isDrawn}>{children}</IsDrawn>
    </div>
  );
}
