// Where an enlarged picture is: pure, in CSS pixels, measured from the middle of the stage.

export interface Zoom {
  /** 1 is the whole picture. */
  readonly scale: number;
  /** How far its middle is from the stage's. */
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

/** What a zoom must stay within. */
export interface Bounds {
  readonly stage: Box;
  /** The whole picture, as it fits the stage. */
  readonly picture: Box;
  readonly maxScale: number;
}

export const whole: Zoom = { scale: 1, x: 0, y: 0 };

/** Enlarges by a factor so that what is at this point stays there. */
export function zoomBy(zoom: Zoom, factor: number, at: Point, bounds: Bounds): Zoom {
  const scale = between(1, zoom.scale * factor, bounds.maxScale);
  const by = scale / zoom.scale;
  return within({ scale, x: at.x - (at.x - zoom.x) * by, y: at.y - (at.y - zoom.y) * by }, bounds);
}

export function panBy(zoom: Zoom, by: Point, bounds: Bounds): Zoom {
  return within({ scale: zoom.scale, x: zoom.x + by.x, y: zoom.y + by.y }, bounds);
}

/** No edge of the picture comes further into the stage than it has to. */
function within({ scale, x, y }: Zoom, { stage, picture }: Bounds): Zoom {
  const maxX = Math.max(0, (picture.width * scale - stage.width) / 2);
  const maxY = Math.max(0, (picture.height * scale - stage.height) / 2);
  return { scale, x: between(-maxX, x, maxX), y: between(-maxY, y, maxY) };
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
