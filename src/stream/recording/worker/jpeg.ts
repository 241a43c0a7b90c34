// A decoded picture as a JPEG, no wider than is asked for.
import type { Frame } from 'node-av/lib';
import { MediaError, type Rotation, shownSize } from '../../formats/packet.ts';
import { scaledSize } from '../variants.ts';
import { type Transcoder, turned } from './transcoder.ts';

/** `quality` is FFmpeg's: from 2, the best, to 31. */
export async function jpegOf(
  av: Transcoder,
  frame: Frame,
  { widthMax, quality, rotation = 0 }: { widthMax: number; quality: number; rotation?: Rotation },
): Promise<Buffer> {
  const shown = shownSize({ width: frame.width, height: frame.height, rotation });
  const { width, height } = scaledSize(shown, Math.min(1, widthMax / shown.width));
  using scale = av.FilterAPI.create(
    `${turned(rotation)}scale=${width}:${height}:out_range=full,format=yuvj420p`,
  );
  const [scaled] = await scale.processAll(frame);
  if (!scaled) throw new MediaError('The picture cannot be scaled');
  using picture = scaled;
  return await jpegBytes(av, picture, quality);
}

/** As it is; `quality` as above. */
export async function jpegBytes(av: Transcoder, picture: Frame, quality: number): Promise<Buffer> {
  return await av.Encoder.encodeOne(av.FF_ENCODER_MJPEG, picture, {
    configure: (context) => {
      context.setFlags(av.AV_CODEC_FLAG_QSCALE);
      context.globalQuality = quality * av.FF_QP2LAMBDA;
    },
  });
}
