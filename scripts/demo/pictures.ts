// The pictures that the demo's students share. They are drawn in code, so that no real photograph is needed.
import sharp from 'sharp';
import { createOnePage } from '#tests/support/pdf-files.ts';

export type PictureName = keyof typeof drawings;

/** Encodes the picture as a phone would. */
export function takePicture(name: PictureName): Promise<Uint8Array> {
  const { width, height, content } = drawings[name];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer();
}

/** Creates a PDF of one page. */
export function drawProblemSheet(): Uint8Array {
  const lines = [
    'Problem Sheet 5',
    '1. Draw the region between y = x^2 and y = sqrt(x).',
    '2. Compute its area.',
  ];
  const operators = lines.map(
    (line, n) => `/F ${n === 0 ? 28 : 16} Tf 72 ${700 - 60 * n} Td (${line}) Tj`,
  );
  return createOnePage({
    content: operators.map((line) => `BT ${line} ET`).join(' '),
    resources: '/Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>',
    entries: '/MediaBox [0 0 595 842]',
  });
}

const drawings = {
  whiteboard: { width: 1600, height: 1100, content: drawWhiteboard() },
  region: { width: 1200, height: 1500, content: drawRegion() },
} as const;

/** Draws a red-black tree on a whiteboard that a lamp lights. */
function drawWhiteboard(): string {
  const nodes: readonly [number, number, string, boolean][] = [
    [800, 230, '13', false],
    [480, 450, '8', true],
    [1120, 450, '17', true],
    [310, 680, '1', false],
    [640, 680, '11', false],
    [960, 680, '15', false],
    [1280, 680, '25', false],
    [1170, 890, '22', true],
    [1400, 890, '27', true],
  ];
  const parents = [0, 0, 0, 1, 1, 2, 2, 6, 6];
  const lines = nodes.slice(1).map(([x, y], i) => {
    const [px, py] = nodes[parents[i + 1] ?? 0] ?? [0, 0];
    return `<path d="M${px} ${py + 50} Q${(px + x) / 2 + 12} ${(py + y) / 2} ${x} ${y - 48}" stroke="#33435e" stroke-width="7" fill="none"/>`;
  });
  const circles = nodes.map(
    ([x, y, label, red]) =>
      `<circle cx="${x}" cy="${y}" r="50" fill="#fbfaf6" stroke="${red ? '#c0392b' : '#1f2430'}" stroke-width="9"/>` +
      `<text x="${x}" y="${y + 17}" font-size="50" text-anchor="middle" fill="${red ? '#c0392b' : '#1f2430'}">${label}</text>`,
  );
  return `<defs><radialGradient id="l" cx="0.35" cy="0.2" r="1"><stop offset="0" stop-color="#fdfdf9"/><stop offset="1" stop-color="#c9cbc4"/></radialGradient></defs>
    <rect width="1600" height="1100" fill="#5b564d"/><rect x="40" y="40" width="1520" height="1000" rx="10" fill="url(#l)" stroke="#a8a497" stroke-width="16"/>
    <g font-family="cursive" stroke-linecap="round">${lines.join('')}${circles.join('')}
    <text x="110" y="160" font-size="64" fill="#2a5ea8">after insert(22)</text></g>`;
}

/** Draws the region between two curves, on squared paper. */
function drawRegion(): string {
  const squares = Array.from({ length: 40 }, (_, i) => {
    const position = i * 40;
    return `<path d="M${position} 0V1500M0 ${position}H1200"/>`;
  });
  return `<rect width="1200" height="1500" fill="#f6f1e4"/><g stroke="#c5d4e0" stroke-width="2">${squares.join('')}</g>
    <path d="M200 1200 Q620 1180 1000 300 Q500 420 200 1200Z" fill="#1f6b5c" fill-opacity="0.25"/>
    <g fill="none" stroke="#22304a" stroke-width="8" stroke-linecap="round"><path d="M120 1320V160M80 1200H1120"/>
    <path d="M200 1200Q620 1180 1000 300"/><path d="M200 1200Q500 420 1000 300"/></g>
    <g font-family="cursive" font-size="64" fill="#22304a"><text x="900" y="760">y = x²</text><text x="300" y="520">y = √x</text><text x="560" y="830" fill="#1f6b5c" font-size="84">R</text></g>`;
}
