import { useLayoutEffect, useRef } from 'react';
import { thumbHashToRGBA } from 'thumbhash';
import styles from './picture-placeholder.module.css';

/** A blurred placeholder of a few pixels, shown until the picture loads. */
export function PicturePlaceholder({ hash }: { hash: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element && hash) paint(element, hash);
  }, [hash]);
  return <canvas ref={canvas} className={styles.placeholder} aria-hidden="true" />;
}

function paint(canvas: HTMLCanvasElement, hash: string): void {
  const bytes = Uint8Array.from(atob(hash), (sign) => sign.charCodeAt(0));
  const { w, h, rgba } = thumbHashToRGBA(bytes);
  canvas.width = w;
  canvas.height = h;
  const pixels = new ImageData(new Uint8ClampedArray(rgba), w, h);
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
}
