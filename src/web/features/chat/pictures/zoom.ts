// The position of an enlarged picture. Pure functions in CSS pixels from the center of the stage.

export interface Zoom {
  /** 1 fits the whole picture. */
  readonly scale: number;
  /** The offset of its center from the center of the stage. */
  readonly x: number;
  readonly y: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/** The sizes that limit a zoom. */
export interface Bounds {
  readonly stage: Box;
  /** The size of the whole picture when it fits the stage. */
  readonly picture: Box;
  readonly maxScale: number;
}

export const fittedZoom: Zoom = { scale: 1, x: 0, y: 0 };

/** Zooms by a factor and keeps the point in place. */
export function zoomBy(zoom: Zoom, factor: number, point: Point, bounds: Bounds): Zoom {
  const scale = clamp(1, zoom.scale * factor, bounds.maxScale);
  const ratio = scale / zoom.scale;
  return clampOffset(
    { scale, x: point.x - (point.x - zoom.x) * ratio, y: point.y - (point.y - zoom.y) * ratio },
    bounds,
  );
}

export function panBy(zoom: Zoom, shift: Point, bounds: Bounds): Zoom {
  return clampOffset({ scale: zoom.scale, x: zoom.x + shift.x, y: zoom.y + shift.y }, bounds);
}

/** Limits the offset, so that no edge moves further into the stage than necessary. */
function clampOffset({ scale, x, y }: Zoom, { stage, picture }: Bounds): Zoom {
  const maxX = Math.max(0, (picture.width * scale - stage.width) / 2);
  const maxY = Math.max(0, (picture.height * scale - stage.height) / 2);
  return { scale, x: clamp(-maxX, x, maxX), y: clamp(-maxY, y, maxY) };
}

function clamp(min: number, value: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
