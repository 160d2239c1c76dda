// Picture files as phones, scanners and screenshots make them.
import sharp, { type Sharp } from 'sharp';
import type { Random } from '#tests/support/random.ts';

export interface PictureFile {
  /** The name that the device gives to the file. */
  name: string;
  bytes: Uint8Array;
}

type Kind = (random: Random) => { name: string; picture: Sharp };

const kinds: readonly Kind[] = [
  // A phone stores its orientation and its position.
  (random) => ({
    name: `IMG_${random.int(1000, 9999)}.JPG`,
    picture: draw(random, 403, 302)
      .withExif({
        IFD0: { Make: 'Apple', Model: 'iPhone 15', Software: '18.1' },
        IFD3: { GPSLatitudeRef: 'S', GPSLatitude: '36/1 51/1 0/1', GPSLongitudeRef: 'E' },
      })
      .withMetadata({ orientation: random.int(1, 8) })
      .jpeg(),
  }),
  (random) => ({
    name: `IMG-20261124-WA${random.int(1000, 9999)}.jpg`,
    picture: draw(random, 160, 1200).jpeg({ progressive: true, quality: 60 }),
  }),
  // The space before AM is narrow and no-break on a Mac.
  (random) => ({
    name: 'Screenshot 2026-11-24 at 9.41.00\u202fAM.png',
    picture: draw(random, 390, 844).ensureAlpha(0.8).png(),
  }),
  (random) => ({
    name: 'Bildschirmfoto 2026-11-24 (Kopie) & “final”.png',
    picture: draw(random, 320, 200).png({ palette: true }),
  }),
  (random) => ({
    name: 'scan.gray.jpeg',
    picture: draw(random, 1240, 1754).grayscale().jpeg(),
  }),
  (random) => ({
    name: "Scan o'neil 100%.png",
    picture: draw(random, 1240, 1754).grayscale().threshold().png({ palette: true, colors: 2 }),
  }),
  (random) => ({
    name: 'noname',
    picture: draw(random, 1, 1).webp(),
  }),
  (random) => ({
    name: '写真.webp',
    picture: draw(random, 64, 64).webp(),
  }),
  (random) => ({
    name: 'print.jpg',
    picture: draw(random, 120, 90).toColorspace('cmyk').jpeg(),
  }),
  (random) => ({
    name: 'plot.png',
    picture: draw(random, 120, 90).toColorspace('rgb16').png(),
  }),
];

/** @param n the picture's number. Ten of them have every kind. */
export async function createPicture(random: Random, n: number): Promise<PictureFile> {
  const { name, picture } = kinds[n % kinds.length]!(random);
  return { name, bytes: await picture.toBuffer() };
}

/** A page with shapes, so that the file is as small as that of a real page. */
function draw(random: Random, width: number, height: number): Sharp {
  const lines = Array.from({ length: 12 }, () => {
    const x = random.int(0, width);
    const y = random.int(0, height);
    const color = `hsl(${random.int(0, 359)} 60% 40%)`;
    return `<rect x="${x}" y="${y}" width="${random.int(1, width)}" height="6" fill="${color}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fdfcf8"/>${lines.join('')}</svg>`;
  return sharp(Buffer.from(svg)).flatten();
}
