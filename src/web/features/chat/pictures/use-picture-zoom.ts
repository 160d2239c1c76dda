import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isRightToLeft } from '#web/get-text.ts';
import { type Bounds, panBy, type Point, fittedZoom, type Zoom, zoomBy } from './zoom.ts';

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
  onStep: (step: 1 | -1) => void;
  onClose: () => void;
}

interface Gesture {
  from: Point;
  hasMoved: boolean;
  hasStartedOnPicture: boolean;
  isPinch: boolean;
}

const origin: Point = { x: 0, y: 0 };

/** Handles wheel, pinch, drag, double tap and swipe on an enlarged picture. */
export function usePictureZoom(dependencies: Dependencies) {
  const zooming = useZoom(dependencies);
  const { drag, moving, handlers } = usePointerGestures(dependencies, zooming);
  useWheelZoom(dependencies.stage, zooming.zoomAt);
  const { zoom, zoomAt, pan, reset } = zooming;
  return { zoom, drag, moving, zoomAt, pan, reset, handlers };
}

function useZoom({ id, stage, picture, width }: Dependencies) {
  const [state, setState] = useState({ id, zoom: fittedZoom });
  const zoom = state.id === id ? state.zoom : fittedZoom;
  const change = (toNext: (zoom: Zoom, bounds: Bounds) => Zoom) => {
    const bounds = findBounds(stage.current, picture.current, width);
    if (!bounds) return;
    setState((old) => ({ id, zoom: toNext(old.id === id ? old.zoom : fittedZoom, bounds) }));
  };
  return {
    zoom,
    zoomAt: (factor: number, point: Point = origin) =>
      change((old, bounds) => zoomBy(old, factor, point, bounds)),
    pan: (x: number, y: number) => change((old, bounds) => panBy(old, { x, y }, bounds)),
    /** Follows one of two fingers, while the other one rests. */
    pinch: (previousPoint: Point, point: Point, otherPoint: Point) => {
      const previousDistance = Math.max(1, measureDistance(previousPoint, otherPoint));
      const factor = measureDistance(point, otherPoint) / previousDistance;
      const shift = toMiddle(origin, subtract(point, previousPoint));
      change((old, bounds) =>
        zoomBy(panBy(old, shift, bounds), factor, toMiddle(point, otherPoint), bounds),
      );
    },
    reset: () => change(() => fittedZoom),
  };
}

type Zooming = ReturnType<typeof useZoom>;

function useWheelZoom(stage: Dependencies['stage'], zoomAt: Zooming['zoomAt']): void {
  useEffect(() => {
    const element = stage.current;
    // Not a React handler: React's wheel listeners are passive and cannot prevent the page zoom.
    const handleWheel = (event: WheelEvent) => {
      event.preventDefault();
      const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * lineHeight;
      const speed = event.ctrlKey ? wheelSpeed.pinch : wheelSpeed.plain;
      zoomAt(Math.exp(-pixels * speed), toPoint(element, event));
    };
    element?.addEventListener('wheel', handleWheel, { passive: false });
    return () => element?.removeEventListener('wheel', handleWheel);
  });
}

function usePointerGestures({ stage, picture, onStep, onClose }: Dependencies, zooming: Zooming) {
  const { zoom, zoomAt, pan, pinch, reset } = zooming;
  const [drag, setDrag] = useState(origin);
  const [moving, setMoving] = useState(false);
  const pointers = useRef(new Map<number, Point>());
  const gesture = useRef<Gesture | null>(null);
  const lastTap = useRef({ at: 0, ...origin });

  function handleDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    stage.current?.setPointerCapture(event.pointerId);
    const point = toPoint(stage.current, event);
    pointers.current.set(event.pointerId, point);
    const hasStartedOnPicture = picture.current?.contains(event.target as Node) ?? false;
    // A pinch cannot become a tap or a swipe, even if it ends at the size at which it began.
    const isPinch = pointers.current.size > 1;
    gesture.current = { from: point, hasMoved: isPinch, hasStartedOnPicture, isPinch };
    if (isPinch) setDrag(origin);
    setMoving(true);
  }

  function handleMove(event: PointerEvent): void {
    const previousPoint = pointers.current.get(event.pointerId);
    const currentGesture = gesture.current;
    if (!previousPoint || !currentGesture) return;
    const point = toPoint(stage.current, event);
    const otherPoint = [...pointers.current].find(([key]) => key !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, point);
    if (otherPoint) return pinch(previousPoint, point, otherPoint);
    const totalShift = subtract(point, currentGesture.from);
    if (Math.hypot(totalShift.x, totalShift.y) > tapTolerancePx) currentGesture.hasMoved = true;
    if (zoom.scale > 1) pan(point.x - previousPoint.x, point.y - previousPoint.y);
    else if (currentGesture.hasMoved) setDrag(totalShift);
  }

  function handleUp(event: PointerEvent): void {
    const point = pointers.current.get(event.pointerId);
    pointers.current.delete(event.pointerId);
    const endedGesture = gesture.current;
    if (!point || !endedGesture || pointers.current.size > 0) return;
    gesture.current = null;
    setMoving(false);
    setDrag(origin);
    if (event.type === 'pointercancel') return;
    if (!endedGesture.hasMoved) return endedGesture.hasStartedOnPicture ? tap(point) : onClose();
    if (zoom.scale === 1 && !endedGesture.isPinch) release(subtract(point, endedGesture.from));
  }

  function release({ x, y }: Point): void {
    if (Math.abs(x) > swipePx && Math.abs(x) > Math.abs(y)) {
      onStep(x < 0 === isRightToLeft() ? -1 : 1);
    } else if (y > closeDragPx) onClose();
  }

  function tap(point: Point): void {
    const last = lastTap.current;
    const now = Date.now();
    const isSecond =
      now - last.at < doubleTap.withinMs && measureDistance(point, last) < doubleTap.px;
    lastTap.current = { at: isSecond ? 0 : now, ...point };
    if (!isSecond) return;
    if (zoom.scale > 1) reset();
    else zoomAt(doubleTap.scale, point);
  }

  const handlers = {
    onPointerDown: handleDown,
    onPointerMove: handleMove,
    onPointerUp: handleUp,
    onPointerCancel: handleUp,
  };
  return { drag, moving, handlers };
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

function toMiddle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function measureDistance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
