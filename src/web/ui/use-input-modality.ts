import { useEffect } from 'react';

/**
 * Sets `data-input` on the root element to the device used last. A focused element and a hovered element can
 * then take turns, instead of both showing their tools.
 */
export function useInputModality(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    const onKeyDown = () => void (dataset['input'] = 'keys');
    const onPointerMove = ({ movementX, movementY }: PointerEvent) => {
      // Content that scrolls under a resting pointer does not count as movement.
      if (movementX !== 0 || movementY !== 0) dataset['input'] = 'pointer';
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    addEventListener('pointermove', onPointerMove, { capture: true, passive: true });
    return () => {
      removeEventListener('keydown', onKeyDown, { capture: true });
      removeEventListener('pointermove', onPointerMove, { capture: true });
    };
  }, []);
}

/**
 * Keeps the focus in the text field while the user types and presses a control that opens a layer, so that closing
 * the layer returns there. Such a control calls it in `onMouseDown`. Keyboard focus is not affected.
 */
export function keepTextFocus(event: { preventDefault(): void }): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLTextAreaElement) event.preventDefault();
}
