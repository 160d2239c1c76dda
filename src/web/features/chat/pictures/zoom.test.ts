import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bounds, panBy, fittedZoom, zoomBy } from './zoom.ts';

const bounds: Bounds = {
  stage: { width: 1000, height: 800 },
  picture: { width: 1000, height: 500 },
  maxScale: 4,
};

test('what is under the pointer stays there while one zooms [PIC-38]', () => {
  const point = { x: 200, y: 0 };
  expect(zoomBy(fittedZoom, 2, point, bounds)).toEqual({ scale: 2, x: -200, y: 0 });
});

test('zooming ends at the whole picture and at the most [PIC-38]', () => {
  expect(zoomBy(fittedZoom, 0.1, { x: 300, y: 100 }, bounds)).toEqual(fittedZoom);
  expect(zoomBy(fittedZoom, 100, { x: 0, y: 0 }, bounds).scale).toBe(4);
});

test('a picture moves only as far as there is more of it [PIC-38]', () => {
  expect(panBy(fittedZoom, { x: 50, y: 50 }, bounds)).toEqual(fittedZoom);
  const large = zoomBy(fittedZoom, 2, { x: 0, y: 0 }, bounds);
  expect(panBy(large, { x: 9000, y: -9000 }, bounds)).toEqual({ scale: 2, x: 500, y: -100 });
});

test('whatever one does, it stays within its bounds [PIC-38]', () => {
  const number = fc.double({ min: -3000, max: 3000, noNaN: true });
  const step = fc.record({
    factor: fc.double({ min: 0.1, max: 8, noNaN: true }),
    x: number,
    y: number,
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let zoom = fittedZoom;
      for (const { factor, x, y } of steps) {
        zoom = panBy(zoomBy(zoom, factor, { x, y }, bounds), { x: y, y: x }, bounds);
        expect(zoom.scale).toBeGreaterThanOrEqual(1);
        expect(zoom.scale).toBeLessThanOrEqual(4);
        expect(Math.abs(zoom.x)).toBeLessThanOrEqual((1000 * zoom.scale - 1000) / 2 + 1e-6);
        expect(Math.abs(zoom.y)).toBeLessThanOrEqual(
          Math.max(0, (500 * zoom.scale - 800) / 2) + 1e-6,
        );
      }
    }),
  );
});
