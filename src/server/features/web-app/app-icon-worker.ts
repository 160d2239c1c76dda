// The child process that draws the icons of the installed app. It exits if the icons cannot be drawn.
import sharp from 'sharp';
import { answerFiles } from '#server/base/file-worker.ts';
import type { IconDrawing, IconSet } from './app-icons.ts';

answerFiles(async (request) => {
  const { logo, drawings } = JSON.parse(new TextDecoder().decode(request)) as IconSet;
  const icons = new Map<string, Uint8Array>();
  for (const drawing of drawings) icons.set(drawing.path, await draw(drawing, logo));
  return icons;
});

async function draw(
  { svg, size, logoShare }: IconDrawing,
  logo: string | null,
): Promise<Uint8Array> {
  // The drawings are 32 pixels wide at 72 dpi.
  const image = sharp(Buffer.from(svg), { density: (72 * size) / 32 }).resize(size, size);
  if (logo !== null && logoShare !== undefined) {
    image.composite([{ input: await drawLogo(logo, Math.round(size * logoShare)) }]);
  }
  return new Uint8Array(await image.png({ compressionLevel: 9 }).toBuffer());
}

/** Draws the whole logo in a square. The logo stays a separate document, because it may have a DOCTYPE and ids. */
async function drawLogo(logo: string, size: number): Promise<Buffer> {
  const file = Buffer.from(logo);
  const { width, height } = await sharp(file).metadata();
  const density = Math.min(Math.max((72 * size) / Math.max(width, height), 1), 2400);
  const drawnIcon = await sharp(file, { density })
    .resize(size, size, { fit: 'contain', background: 'transparent' })
    .png()
    .toBuffer();
  const { channels } = await sharp(drawnIcon).ensureAlpha().stats();
  if (channels.at(-1)?.max === 0) throw new Error('The logo draws nothing.');
  return drawnIcon;
}
