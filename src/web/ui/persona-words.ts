import { personaLook } from '#web/ui/persona-look.ts';

const hues = [
  ...['Rose', 'Orange', 'Amber', 'Olive', 'Green', 'Jade'],
  ...['Teal', 'Sky blue', 'Blue', 'Violet', 'Purple', 'Pink'],
];

/** In the order of personaShapes. */
const shapes = [
  ...['disc', 'ring', 'quarter', 'bowl', 'triangle', 'square', 'diamond', 'cross'],
  ...['star', 'hexagon', 'two dots', 'three dots', 'moon', 'drop', 'leaf', 'steps'],
  ...['two bars', 'two roofs', 'two towers', 'bow', 'hourglass', 'pie', 'four dots', 'wave'],
];

/** The icon of this seed for who does not see it: 'Teal moon on light'. */
export function personaWords(seed: string): string {
  const { hue, shape, solid } = personaLook(seed);
  return `${hues[Math.floor(hue / 30)]} ${shapes[shape]} on ${solid ? 'dark' : 'light'}`;
}
