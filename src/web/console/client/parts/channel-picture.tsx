// A small picture of a channel: of its stream while it is on air, else its icon, else a camera.
import { useState } from 'preact/hooks';
import type { ListedChannel } from '../service-answers.ts';
import { useNow } from '../use-now.ts';
import { ConsoleIcon } from './console-icon.tsx';

/** One that comes was made two seconds ago at most, of a key frame two or three seconds old: none is shown that is older than ten. */
const pictureEveryMs = 5_000;

export function ChannelPicture({ channel }: { channel: ListedChannel }) {
  const { id, has_picture, live_status, cover_image } = channel;
  const now = useNow(pictureEveryMs);
  const [failed, fail] = useState('');
  const isLive = live_status === 1 && has_picture;
  const address = isLive
    ? `/manage/v1/channels/${id}/picture.jpg?at=${Math.floor(now / pictureEveryMs)}`
    : cover_image;
  return (
    <span class="picture">
      {address !== '' && address !== failed ? (
        <img src={address} alt="" loading="lazy" decoding="async" onError={() => fail(address)} />
      ) : (
        <ConsoleIcon name="camera" />
      )}
    </span>
  );
}
