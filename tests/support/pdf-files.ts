// Builds PDF files object by object.
import { deflateSync } from 'node:zlib';

/** A dictionary or another value, or a dictionary with a stream. */
export type PdfObject = string | { dictionary: string; stream: Uint8Array };

export const stream = (content: string | Uint8Array, dictionary = ''): PdfObject => ({
  dictionary,
  stream: Buffer.from(content),
});

export const compressStream = (content: string | Uint8Array, dictionary = ''): PdfObject =>
  stream(deflateSync(content, { level: 9 }), `/Filter /FlateDecode ${dictionary}`);

/** The first object is number 1 and the catalog. */
export function createPdfFile(objects: PdfObject[], trailer = ''): Buffer {
  return appendObjects(Buffer.from('%PDF-1.7\n'), objects, trailer);
}

/** Appends an incremental update that replaces the objects from number 1. */
export function appendObjects(file: Buffer, objects: PdfObject[], trailer = ''): Buffer {
  const parts: Uint8Array[] = [file];
  const offsets: number[] = [];
  let length = file.length;
  const write = (part: string | Uint8Array) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    write(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') write(object);
    else {
      write(`<<${object.dictionary} /Length ${object.stream.length}>>\nstream\n`);
      write(object.stream);
      write('\nendstream');
    }
    write('\nendobj\n');
  }
  const start = length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`);
  write(`trailer\n<</Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\n`);
  write(`startxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

interface Page {
  content?: string | PdfObject;
  /** The entries of the page's resource dictionary. */
  resources?: string;
  /** Other entries of the page. */
  entries?: string;
  /** More objects, after the content. */
  objects?: PdfObject[];
}

/** The content is object 4. */
export function createOnePage({
  content = '',
  resources = '',
  entries,
  objects = [],
}: Page): Buffer {
  return createPdfFile([
    '<</Type /Catalog /Pages 2 0 R>>',
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    `<</Type /Page /Parent 2 0 R /Contents 4 0 R /Resources <<${resources}>> ${entries ?? '/MediaBox [0 0 300 400]'}>>`,
    typeof content === 'string' ? stream(content) : content,
    ...objects,
  ]);
}

/** All pages show the same content, which is object 3. */
export function createManyPages(
  count: number,
  { content = '', resources = '', entries = '/MediaBox [0 0 300 400]', objects = [] }: Page = {},
): Buffer {
  const first = 4 + objects.length;
  const kids = Array.from({ length: count }, (_, index) => `${first + index} 0 R`).join(' ');
  return createPdfFile([
    '<</Type /Catalog /Pages 2 0 R>>',
    `<</Type /Pages /Kids [${kids}] /Count ${count} /Resources <<${resources}>> ${entries}>>`,
    typeof content === 'string' ? stream(content) : content,
    ...objects,
    ...Array.from({ length: count }, () => '<</Type /Page /Parent 2 0 R /Contents 3 0 R>>'),
  ]);
}
