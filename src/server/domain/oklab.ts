// Colours as CSS computes with them: in OKLab, shown as the sRGB of a screen.

/** Lightness from 0 to 1, then the two axes of OKLab. */
export type Lab = readonly [number, number, number];
/** Red, green and blue from 0 to 1, in the steps that a screen has. */
export type Rgb = readonly [number, number, number];

/** @param hex `#rrggbb` */
export function parseHex(hex: string): Lab {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) =>
    toLinear(parseInt(hex.slice(at, at + 2), 16) / 255),
  );
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

export function toRgb([lightness, a, b]: Lab): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toStep(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toStep(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toStep(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

export function oklch(lightness: number, chroma: number, hue: number): Lab {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

/** The same hue with another lightness and chroma, as `oklch(from …)` gives it. */
export function relative(
  [lightness, a, b]: Lab,
  change: (lightness: number, chroma: number) => [lightness: number, chroma: number],
): Lab {
  const [l, c] = change(lightness, Math.hypot(a, b));
  return oklch(Math.min(1, Math.max(0, l)), c, (Math.atan2(b, a) * 180) / Math.PI);
}

/** `color-mix(in oklab, one share, other)` */
export function mix(one: Lab, share: number, other: Lab): Lab {
  return join(one, other, (x, y) => x * share + y * (1 - share));
}

/** What is seen of a colour that lets the one below through. */
export function paintOver(top: Rgb, share: number, below: Rgb): Rgb {
  return join(top, below, (x, y) => Math.round((x * share + y * (1 - share)) * 255) / 255);
}

/** WCAG's contrast, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

export function toHex(rgb: Rgb): string {
  return `#${rgb
    .map((value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

type Three = readonly [number, number, number];

function join(one: Three, other: Three, by: (x: number, y: number) => number): Three {
  return [by(one[0], other[0]), by(one[1], other[1]), by(one[2], other[2])];
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** What lies outside a screen's colours is cut off, as browsers do. */
function toStep(linear: number): number {
  const value = linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(1, Math.max(0, value)) * 255) / 255;
}
