import type { CallReply } from '#contract/http.ts';
import type { PictureSize } from './outbox-storage.ts';

export type UploadedPicture = CallReply<'uploadImage'>;

/** What is asked of the server and of this browser about pictures. Tests bring their own. */
export interface PictureCalls {
  /**
   * @param onProgress told the share that is on its way, from 0 to 1
   * @throws a AppError, or another error when no answer came
   */
  upload(
    classId: string,
    bytes: Blob,
    onProgress: (share: number) => void,
    signal: AbortSignal,
  ): Promise<Pick<UploadedPicture, 'imageId'>>;
  /** Of an upload that no message has. */
  remove(classId: string, imageId: string): Promise<unknown>;
  /** Null when this browser cannot show it: the server may know more formats. */
  measure(bytes: Blob): Promise<PictureSize | null>;
}
