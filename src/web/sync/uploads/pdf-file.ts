// PDFs among the files that a member adds.

export const pdfType = 'application/pdf';

/** @param bytes of which `staging.ts` has checked the type */
export function isPdfFile(bytes: Blob | null): boolean {
  return bytes?.type === pdfType;
}

/** The server makes one PDF at a time, each in two minutes at most, while two others wait (PDF-9, PDF-22). */
export const maxPdfMs = 6 * 60_000;
