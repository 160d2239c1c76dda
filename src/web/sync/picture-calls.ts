import type { CallReply } from '#contract/http.ts';
import type { PictureSize } from './outbox-storage.ts';

export type UploadedPicture = CallReply<'uploadImage'>;

/** Picture operations of the server and the browser. Tests pass their own. */
export interface PictureCalls {
  /**
   * @param onProgress receives the uploaded share, from 0 to 1
   * @throws {AppError} if the server refuses the upload, or another error if no response arrives
   */
  upload(
    classId: string,
    bytes: Blob,
    onProgress: (share: number) => void,
    signal: AbortSignal,
  ): Promise<Pick<UploadedPicture, 'imageId'>>;
  /** Deletes an upload that no message uses. */
  remove(classId: string, imageId: string): Promise<unknown>;
  /** Null if this browser cannot decode the picture. The server may support more formats. */
  measure(bytes: Blob): Promise<PictureSize | null>;
}
