// The icons of the installed app. The server draws them for each school.

/** `maskable` and `apple` fill the square, because the device cuts their shape. `badge` is a white outline. */
export const iconSizes = {
  any: [48, 72, 96, 128, 144, 192, 256, 384, 512],
  maskable: [192, 512],
  apple: [180],
  badge: [96],
} as const;
export type IconKind = keyof typeof iconSizes;

export const manifestPath = '/manifest.webmanifest';
export const toIconPath = (kind: IconKind, size: number) => `/icons/${kind}-${size}.png`;
