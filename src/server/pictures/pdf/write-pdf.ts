// Writes a PDF whose pages are images. The file contains nothing else: no title, author, producer, date or id.
import type { PageImage } from './encode-page.ts';

export interface ImagePage {
  image: PageImage;
  /** The size of the paper in points. */
  width: number;
  height: number;
}

/** The same pages always give the same bytes. */
export function writePdf(pages: ImagePage[]): Buffer {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const write = (part: Uint8Array | string) => {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  const writeObject = (dictionary: string, stream?: Uint8Array) => {
    offsets.push(length);
    write(
      `${offsets.length} 0 obj\n<<${dictionary}${stream ? ` /Length ${stream.length}` : ''}>>\n`,
    );
    if (stream) {
      write('stream\n');
      write(stream);
      write('\nendstream\n');
    }
    write('endobj\n');
  };

  // The second line marks the file as binary.
  write('%PDF-1.4\n');
  write(Buffer.from('%\xe2\xe3\xcf\xd3\n', 'latin1'));
  writeObject('/Type /Catalog /Pages 2 0 R');
  // Each page has three objects: the page, its content and its image.
  const toObjectNumber = (page: number) => 3 + 3 * page;
  const kids = pages.map((_, index) => `${toObjectNumber(index)} 0 R`).join(' ');
  writeObject(`/Type /Pages /Count ${pages.length} /Kids [${kids}]`);
  for (const [index, { image, width, height }] of pages.entries()) {
    const number = toObjectNumber(index);
    writeObject(
      `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${number + 1} 0 R /Resources <</XObject <</Page ${number + 2} 0 R>>>>`,
    );
    writeObject('', Buffer.from(`${width} 0 0 ${height} 0 0 cm /Page Do`));
    writeObject(
      `/Type /XObject /Subtype /Image /Width ${image.width} /Height ${image.height} ${image.encoding}`,
      image.data,
    );
  }

  const start = length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const size = offsets.length + 1;
  write(`xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`);
  write(`trailer\n<</Size ${size} /Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts, length);
}
