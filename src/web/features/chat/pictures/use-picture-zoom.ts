import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { type Bounds, panBy, type Point, fitted, type Zoom, zoomBy } from './zoom.ts';

const wheelSpeed = { plain: 0.002, pinch: 0.01 };
const lineHeight = 16;
/** A pointer that moves less than this counts as a tap. */
const tapTolerancePx = 8;
const swipePx = 56;
const closeDragPx = 96;
const doubleTap = { withinMs: 300, px: 32, scale: 2.5 };

interface Dependencies {
  /** Identifies the picture. A new id resets the zoom. */
  id: string;
  stage: RefObject<HTMLElement | null>;
  picture: RefObject<HTMLElement | null>;
  /** The natural width of the picture in pixels. */
  width: number;
  /** 1 shows the next picture, -1 the previous one. */
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
}

interface Gesture {
  from: Point;
  moved: boolean;
  onPicture: boolean;
}

const origin: Point = { x: 0, y: 0 };

/** Handles wheel, pinch, drag, double tap and swipe on an enlarged picture. */
export function usePictureZoom({ id, stage, picture, width, onStep, onClose }: Dependencies) {
  const [stored, setStored] = useState({ id, zoom: fitted });
  const [drag, setDrag] = useState(origin);
  const [moving, setMoving] = useState(false);
  const zoom = stored.id === id ? stored.zoom : fitted;
  const pointers = useRef(new Map<number, Point>());
  const gesture = useRef<Gesture | null>(null);
  const lastTap = useRef({ at: 0, ...origin });

  const change = (next: (zoom: Zoom, bounds: Bounds) => Zoom) => {
    const bounds = findBounds(stage.current, picture.current, width);
    if (!bounds) return;
    setStored((old) => ({ id, zoom: next(old.id === id ? old.zoom : fitted, bounds) }));
  };
  const zoomAt = (factor: number, at: Point = origin) =>
    change((old, bounds) => zoomBy(old, factor, at, bounds));
  const pan = (x: number, y: number) => change((old, bounds) => panBy(old, { x, y }, bounds));
  const reset = () => change(() => fitted);

  useEffect(() => {
    const element = stage.current;
    // Not a React handler: React's wheel listeners are passive and cannot prevent the page zoom.
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * lineHeight;
      const speed = event.ctrlKey ? wheelSpeed.pinch : wheelSpeed.plain;
      zoomAt(Math.exp(-pixels * speed), toPoint(element, event));
    };
    element?.addEventListener('wheel', turned, { passive: false });
    return () => element?.removeEventListener('wheel', turned);
  });

  function down(event: PointerEvent): void {
    if (event.button !== 0) return;
    stage.current?.setPointerCapture(event.pointerId);
    const at = toPoint(stage.current, event);
    pointers.current.set(event.pointerId, at);
    const onPicture = picture.current?.contains(event.target as Node) ?? false;
    // With a second finger the gesture is a pinch, so it cannot become a tap or a swipe.
    const isPinch = pointers.current.size > 1;
    gesture.current = { from: at, moved: isPinch, onPicture };
    if (isPinch) setDrag(origin);
    setMoving(true);
  }

  function move(event: PointerEvent): void {
    const before = pointers.current.get(event.pointerId);
    const mine = gesture.current;
    if (!before || !mine) return;
    const at = toPoint(stage.current, event);
    const other = [...pointers.current].find(([key]) => key !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, at);
    if (other) return pinch(before, at, other);
    const total = subtract(at, mine.from);
    if (Math.hypot(total.x, total.y) > tapTolerancePx) mine.moved = true;
    if (zoom.scale > 1) pan(at.x - before.x, at.y - before.y);
    else if (mine.moved) setDrag(total);
  }

  function pinch(before: Point, at: Point, other: Point): void {
    const factor = distance(at, other) / Math.max(1, distance(before, other));
    change((old, bounds) => {
      const moved = panBy(old, { x: (at.x - before.x) / 2, y: (at.y - before.y) / 2 }, bounds);
      return zoomBy(moved, factor, { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }, bounds);
    });
  }

  function up(event: PointerEvent): void {
    const at = pointers.current.get(event.pointerId);
    pointers.current.delete(event.pointerId);
    const mine = gesture.current;
    if (!at || !mine || pointers.current.size > 0) return;
    gesture.current = null;
    setMoving(false);
    setDrag(origin);
    if (event.type === 'pointercancel') return;
    if (!mine.moved) return mine.onPicture ? tap(at) : onClose();
    if (zoom.scale === 1) release(subtract(at, mine.from));
  }

  function release({ x, y }: Point): void {
    if (Math.abs(x) > swipePx && Math.abs(x) > Math.abs(y)) onStep(x < 0 ? 1 : -1);
    else if (y > closeDragPx) onClose();
  }

  function tap(at: Point): void {
    const last = lastTap.current;
    const now = Date.now();
    const isSecond = now - last.at < doubleTap.withinMs && distance(at, last) < doubleTap.px;
    lastTap.current = { at: isSecond ? 0 : now, ...at };
    if (!isSecond) return;
    if (zoom.scale > 1) reset();
    else zoomAt(doubleTap.scale, at);
  }

  return {
    zoom,
    drag,
    moving,
    zoomAt,
    pan,
    reset,
    handlers: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: up },
  };
}

/** The coordinates relative to the center of the stage. */
function toPoint(
  stage: HTMLElement | null,
  { clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>,
): Point {
  const box = stage?.getBoundingClientRect();
  if (!box) return origin;
  return { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 };
}

function findBounds(
  stage: HTMLElement | null,
  picture: HTMLElement | null,
  width: number,
): Bounds | null {
  if (!stage || !picture || picture.offsetWidth === 0) return null;
  return {
    stage: { width: stage.clientWidth, height: stage.clientHeight },
    picture: { width: picture.offsetWidth, height: picture.offsetHeight },
    // Allows at least 4x, and enough to see each pixel of a large picture.
    maxScale: Math.max(4, (width / picture.offsetWidth) * 2),
  };
}

function subtract(a: Point, b: Point): Point {
  return { x: a.x - b.x, y: a.y - b.y };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
