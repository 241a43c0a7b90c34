// Looks how large the colour profile of a PNG is: packed it is small, and whoever shows the picture unpacks it.
import { broken, ImageProblem } from './image-bytes.ts';
import { imageLimits } from './image-limits.ts';
import { unpackedLength } from './unpacked-length.ts';

/** One that is as large as profiles are stays, byte for byte: without it colours would be others. */
export async function checkPngProfile(packed: Uint8Array): Promise<void> {
  const { profileBytesMax } = imageLimits;
  const found = await unpackedLength(packed, profileBytesMax);
  if (found === undefined) throw broken('its colour profile cannot be unpacked');
  if (found > profileBytesMax)
    throw new ImageProblem(
      `The colour profile of the picture unpacks to more than ${profileBytesMax.toLocaleString('en')} bytes: save it without, or with an ordinary one as sRGB.`,
    );
}
