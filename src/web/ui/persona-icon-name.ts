import { toPersonaLook } from '#web/ui/persona-look.ts';

const hueNames = [
  ...['Rose', 'Orange', 'Amber', 'Olive', 'Green', 'Jade'],
  ...['Teal', 'Sky blue', 'Blue', 'Violet', 'Purple', 'Pink'],
];

/** Same order as personaShapes. */
const shapeNames = [
  ...['disc', 'ring', 'quarter', 'bowl', 'triangle', 'square', 'diamond', 'cross'],
  ...['star', 'hexagon', 'two dots', 'three dots', 'moon', 'drop', 'leaf', 'steps'],
  ...['two bars', 'two roofs', 'two towers', 'bow', 'hourglass', 'pie', 'four dots', 'wave'],
];

/** Returns the name of an icon's tile: 'Teal Moon'. */
export function toTileName(seed: string): string {
  const { hue, shape } = toPersonaLook(seed);
  return `${hueNames[Math.floor(hue / 30)]} ${shapeNames[shape]}`.replace(/ \w/g, (start) =>
    start.toUpperCase(),
  );
}

/** Describes the icon for screen readers: 'Teal moon on light rose'. */
export function describePersonaIcon(seed: string): string {
  const { hue, shapeHue, shape, solid } = toPersonaLook(seed);
  const tile = hueNames[Math.floor(hue / 30)]?.toLowerCase();
  const figure = hueNames[Math.floor(shapeHue / 30)];
  return `${figure} ${shapeNames[shape]} on ${solid ? 'dark' : 'light'} ${tile}`;
}
