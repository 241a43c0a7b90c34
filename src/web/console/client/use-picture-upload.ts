// A picture on its way to the service: looked at here first, then sent, with how far it has gone and what became of it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { imageLimits, imageTypes } from '../../../library/images/image-limits.ts';
import { filled } from '../../pages/client/page-elements.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { problemWithoutForm, type Sentence } from './problem-text.ts';
import type { UploadedImage } from './service-answers.ts';
import type { ConsoleTexts } from './texts/console-texts.ts';

export interface PictureUpload {
  /** How much of it has gone, from 0 to 1; undefined where none is on its way. */
  share: number | undefined;
  /** The last one that came there, until another is chosen. */
  done: UploadedImage | undefined;
  error: Sentence | undefined;
  start(file: File): Promise<void>;
  /** Forgets what became of the last one. */
  clear(): void;
}

type State = Pick<PictureUpload, 'share' | 'done' | 'error'>;

const nothing: State = { share: undefined, done: undefined, error: undefined };

export function usePictureUpload(
  channelId: number,
  onDone: (address: string) => void,
): PictureUpload {
  const { api } = useConsole();
  const texts = useTexts();
  const [state, setState] = useState(nothing);
  const running = useRef<AbortController | undefined>(undefined);
  // Other fields are changed while it is on its way: what is told then is what is shown then.
  const told = useRef(onDone);
  told.current = onDone;
  useEffect(() => () => running.current?.abort(), []);
  const start = async (file: File) => {
    running.current?.abort();
    const error = fileProblem(file, texts);
    setState({ ...nothing, error, share: error ? undefined : 0 });
    if (error) return;
    const stopping = new AbortController();
    running.current = stopping;
    const { value, problem } = await api.upload<UploadedImage>(
      `/manage/v1/channels/${channelId}/images`,
      file,
      {
        signal: stopping.signal,
        onProgress: (share) => {
          if (!stopping.signal.aborted) setState({ ...nothing, share });
        },
      },
    );
    if (problem?.kind === 'left') return;
    setState({ ...nothing, done: value, error: problem && problemWithoutForm(problem, texts) });
    if (value) told.current(value.address);
  };
  const clear = () => {
    running.current?.abort();
    setState(nothing);
  };
  return { ...state, start, clear };
}

const megabyte = 1_048_576;

/** What can be told without asking the service, which looks at the bytes themselves. */
export function fileProblem(
  { size, type }: Pick<File, 'size' | 'type'>,
  { page: texts }: ConsoleTexts,
): string | undefined {
  if (type === 'image/svg+xml') return texts.picture_svg;
  if (!imageTypes.some((one) => one === type)) return texts.picture_type;
  if (size <= imageLimits.bytesMax) return undefined;
  const shown = Math.ceil((10 * size) / megabyte) / 10;
  return filled(texts.picture_bytes, { size: shown, most: imageLimits.bytesMax / megabyte });
}
