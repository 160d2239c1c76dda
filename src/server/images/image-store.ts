// Storage for picture files. The content under a name never changes, and names are never reused.

export interface StoredImage {
  bytes: number;
  content: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface ImageStore {
  /** Resolves only when the file is stored durably. */
  put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Returns null if the file does not exist, for example if the store is older than the database. */
  open(name: string): Promise<StoredImage | null>;
  /** Resolves when the file is deleted durably. A missing file is ignored. */
  delete(name: string): Promise<void>;
}
