// On touch devices, Back closes the topmost sheet, dialog or list. While one is open, the history has an extra
// entry for the same page. A phone's Back removes that entry.
import { useEffect, useEffectEvent } from 'react';

/** The open layers, topmost last. */
const layers: { close: () => void }[] = [];
/** The extra entry is being removed because the last layer has closed. */
let isRemovingEntry = false;

function hasEntry(): boolean {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'layer' in state;
}

/** Adds or removes the extra entry. If a navigation replaced the entry meanwhile, the new one stays. */
function updateEntry(): void {
  if (isRemovingEntry) return;
  if (layers.length > 0 && !hasEntry()) {
    history.pushState({ ...(history.state as object | null), layer: true }, '');
  } else if (layers.length === 0 && hasEntry()) {
    isRemovingEntry = true;
    history.back();
  }
}

/** Goes back to the previous page, also from the menu of a panel that has an entry of its own. */
export function goBack(): void {
  const isOverLayer = hasEntry() && !isRemovingEntry;
  isRemovingEntry ||= isOverLayer;
  history.go(isOverLayer ? -2 : -1);
}

function onPopState(): void {
  if (isRemovingEntry) isRemovingEntry = false;
  else if (!hasEntry()) layers.at(-1)?.close();
  // The next layer, or none, needs the entry once React has rendered.
  setTimeout(updateEntry);
}

addEventListener('popstate', onPopState);
// A reload keeps the extra entry, but not the layer.
updateEntry();

/** Calls `onClose` on touch devices when the member goes back while this is open and the topmost layer. */
export function useBackToClose(onClose: () => void, isOpen = true): void {
  const onBack = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpen || !matchMedia('(pointer: coarse)').matches) return;
    const layer = { close: () => onBack() };
    layers.push(layer);
    updateEntry();
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      // A layer that opens next, such as the question of a menu's item, takes over the entry.
      setTimeout(updateEntry);
    };
  }, [isOpen]);
}
