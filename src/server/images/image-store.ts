// Where pictures' files are kept. Nothing under a name ever changes, and names are never given twice.

export interface StoredImage {
  bytes: number;
  content: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface ImageStore {
  /** Resolves when it is kept for good, never before. */
  put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Null where there is none, such as in a store that is older than the database. */
  open(name: string): Promise<StoredImage | null>;
  /** Resolves when it is gone for good; what is not there is skipped. */
  delete(name: string): Promise<void>;
}
