// What the service and its picture process say to each other, one question at a time.
import type { Failure } from '../recording/worker/why-failed.ts';

/** To the process. The bytes are the AVCDecoderConfigurationRecord, and behind it the key frame. */
export interface PictureQuestion {
  recordBytes: number;
}

/** From the process. Bytes go with a picture: the JPEG. */
export type PictureTold = { kind: 'made' } | ({ kind: 'failed' } & Failure);
