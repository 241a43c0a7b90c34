// A picture of the page: chosen, dropped or by its address, with how large it should be, how it looks and what is wrong.
import { useRef, useState } from 'preact/hooks';
import { imageTypes } from '../../../../library/images/image-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { loadable } from '../../../pages/loadable-address.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import type { Sentence } from '../problem-text.ts';
import { usePictureUpload } from '../use-picture-upload.ts';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { Field } from './text-field.tsx';

export interface PictureSize {
  width: number;
  height: number;
}

interface PictureFieldProps {
  channelId: number;
  label: string;
  wanted: PictureSize;
  value: string;
  onChange(value: string): void;
  error: Sentence | undefined;
}

export function PictureField(props: PictureFieldProps) {
  const { channelId, label, wanted, value, onChange } = props;
  const { page: texts } = useTexts();
  const sizeText = useSizeText();
  const upload = usePictureUpload(channelId, onChange);
  const [seen, see] = useState<Seen>();
  const [isOver, over] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) void upload.start(file);
  };
  /** Of one that was just uploaded the service has told how large it is; of others the browser sees it. */
  const toldOf = (of: { done: PictureSize | undefined; seen: Seen | undefined }) => {
    const size = of.done ?? of.seen?.size;
    if (!size) return of.seen && texts.picture_unloadable;
    const values = { size: sizeText(size) };
    if (isLess(size, wanted)) return filled(texts.picture_small, values);
    return of.done && filled(texts.picture_done, values);
  };
  const change = (address: string) => {
    upload.clear();
    onChange(address);
  };
  return (
    <Field label={label} error={upload.error ?? props.error}>
      {(joined) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
        <div
          class="picture-field"
          data-over={isOver}
          onDragOver={(event) => {
            if (!event.dataTransfer?.types.includes('Files')) return;
            event.preventDefault();
            over(true);
          }}
          onDragLeave={() => over(false)}
          onDrop={(event) => {
            over(false);
            if (!event.dataTransfer?.types.includes('Files')) return;
            event.preventDefault();
            take(event.dataTransfer.files);
          }}
        >
          <Thumb address={value} onSeen={see} />
          <span class="picture-ways">
            <Button
              isSmall
              label={`${texts.picture_choose}: ${label}`}
              isBusy={upload.share !== undefined}
              onClick={() => chooser.current?.click()}
            >
              {texts.picture_choose}
            </Button>
            {value === '' ? (
              <span class="picture-drop soft small-text">{texts.picture_drop}</span>
            ) : (
              <Button
                kind="quiet"
                isSmall
                label={`${texts.clear}: ${label}`}
                onClick={() => change('')}
              >
                {texts.clear}
              </Button>
            )}
            <span class="picture-wanted soft small-text">
              {filled(texts.picture_wanted, { size: sizeText(wanted) })}
            </span>
          </span>
          <input
            ref={chooser}
            type="file"
            hidden
            accept={imageTypes.join(',')}
            onChange={(event) => {
              take(event.currentTarget.files);
              // The same file may be chosen again.
              event.currentTarget.value = '';
            }}
          />
          <input
            {...joined}
            class="control"
            type="url"
            value={value}
            autocomplete="off"
            spellcheck={false}
            autocapitalize="none"
            placeholder="https://"
            onInput={(event) => change(event.currentTarget.value.trim())}
          />
          {upload.share !== undefined && (
            <progress
              value={upload.share}
              aria-label={filled(texts.picture_sending, { name: label })}
            />
          )}
          <span class="picture-told soft small-text" role="status">
            {toldOf({ done: upload.done, seen: seen?.address === value ? seen : undefined })}
          </span>
        </div>
      )}
    </Field>
  );
}

/** What became of an address in the browser; without a size where it is no picture. */
interface Seen {
  address: string;
  size: PictureSize | undefined;
}

/** As a browser shows it; what cannot be loaded is an empty frame. */
function Thumb({ address, onSeen }: { address: string; onSeen(seen: Seen): void }) {
  const [failed, fail] = useState('');
  const shown = loadable(address);
  return (
    <span class="picture-thumb">
      {shown !== '' && shown !== failed ? (
        <img
          src={shown}
          alt=""
          decoding="async"
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
            // A drawing has no pixels: it is as large as one wants it.
            if (!isDrawing(shown)) onSeen({ address, size: { width, height } });
          }}
          onError={() => {
            fail(shown);
            onSeen({ address, size: undefined });
          }}
        />
      ) : (
        <ConsoleIcon name="image" />
      )}
    </span>
  );
}

function isDrawing(address: string): boolean {
  return /\.svg(?:[?#]|$)/i.test(address);
}

function isLess(size: PictureSize, wanted: PictureSize): boolean {
  return size.width < wanted.width || size.height < wanted.height;
}

function useSizeText() {
  const times = useTimes();
  return ({ width, height }: PictureSize) => `${times.count(width)} × ${times.count(height)}`;
}
