// Files on their way to the service, whichever view is open: by tus, so that each goes on after a cut where it was.
import { type Signal, signal } from '@preact/signals';
import { type DetailedError, type PreviousUpload, Upload as TusUpload } from 'tus-js-client';
import { catalogue } from '../../../base/api/errors.ts';
import type { Api } from './api.ts';
import type { Upload } from './service-answers.ts';

/** `cut`: it tries again by itself; `stopped`: it does not. */
export type SendingState = Upload['state'] | 'paused' | 'cut' | 'stopped';

export interface SentVideo {
  key: number;
  channel_id: number;
  name: string;
  size: number;
  sent: number;
  /** Since when it goes without a pause, and how much had gone then. */
  since: { at: number; sent: number };
  state: SendingState;
  /** As the service knows it; undefined until it does. */
  id: string | undefined;
  /** What the service says of it once it is whole. */
  answer: Upload | undefined;
  /** Why it is stopped. */
  refusal: Refusal | undefined;
}

/** As the service says it; all empty where nobody answered. */
export interface Refusal {
  status: number;
  code: number;
  message: string;
}

export interface VideoUploads {
  sent: Signal<readonly SentVideo[]>;
  send(channel_id: number, file: File): void;
  pause(key: number): void;
  goOn(key: number): void;
  /** Nothing is left of it, here and there. */
  remove(key: number): Promise<void>;
  /** The same of one that another page has begun. */
  end(id: string): Promise<void>;
  /** It is not shown any more. */
  dismiss(key: number): void;
  /** Whoever sent them is gone: all are stopped and shown no more; what has come stays there, to be gone on with. */
  leave(): void;
}

export const uploadsPath = '/manage/v1/uploads';

/** Waits between tries. Each byte that comes begins them anew. */
const retryMs = [0, 1_000, 2_000, 5_000, ...Array<number>(360).fill(10_000)];
/** While a whole file is read. */
const readEveryMs = 1_500;

export function startVideoUploads({
  api,
  onDone,
}: {
  api: Pick<Api, 'get'>;
  onDone(upload: Upload): void;
}): VideoUploads {
  const sent = signal<readonly SentVideo[]>([]);
  const running = new Map<number, TusUpload>();
  let last = 0;
  const find = (key: number) => sent.value.find((one) => one.key === key);
  const change = (key: number, more: Partial<SentVideo>) => {
    sent.value = sent.value.map((one) => (one.key === key ? { ...one, ...more } : one));
  };
  const dismiss = (key: number) => {
    running.delete(key);
    sent.value = sent.value.filter((one) => one.key !== key);
  };
  const follow = async (key: number) => {
    for (;;) {
      const { id, state } = find(key) ?? {};
      if (id === undefined || state !== 'reading') return;
      const { value, problem } = await api.get<Upload>(`${uploadsPath}/${id}`);
      if (problem?.status === 404) return dismiss(key);
      if (problem?.status === 401) return;
      if (value && value.state !== 'coming') {
        change(key, { answer: value, state: value.state });
        if (value.state === 'done') onDone(value);
      }
      await new Promise((resolve) => setTimeout(resolve, readEveryMs));
    }
  };
  const goOn = (key: number) => {
    const one = find(key);
    if (!one) return;
    change(key, { state: 'coming', refusal: undefined, since: sinceNow(one.sent) });
    running.get(key)?.start();
  };
  // A request over a line that is gone would wait for minutes before it says so.
  addEventListener('offline', () => {
    for (const { key, state } of sent.value) {
      if (state !== 'coming' && state !== 'cut') continue;
      change(key, { state: 'cut' });
      void running.get(key)?.abort();
    }
  });
  addEventListener('online', () => {
    for (const { key, state } of sent.value) if (state === 'cut') goOn(key);
  });
  addEventListener('beforeunload', (event) => {
    if (sent.value.some(({ state }) => state === 'coming' || state === 'cut'))
      event.preventDefault();
  });
  return {
    sent,
    send: async (channel_id, file) => {
      last += 1;
      const key = last;
      const upload = new TusUpload(file, {
        endpoint: uploadsPath,
        metadata: { channel_id: String(channel_id), filename: file.name },
        fingerprint: async () => fingerprintOf(channel_id, file),
        removeFingerprintOnSuccess: true,
        retryDelays: retryMs,
        onUploadUrlAvailable: () => change(key, { id: idIn(upload.url) }),
        onProgress: (bytes) => {
          const one = find(key);
          if (!one || one.state === 'paused') return;
          const since = one.state === 'coming' ? one.since : sinceNow(bytes);
          change(key, { sent: bytes, state: 'coming', since });
        },
        onShouldRetry: (error) => {
          const mayPass = isPassing(refusalOf(error));
          if (mayPass) change(key, { state: 'cut' });
          return mayPass;
        },
        onSuccess: () => {
          change(key, { state: 'reading', sent: file.size });
          void follow(key);
        },
        onError: (error) => change(key, { state: 'stopped', refusal: refusalOf(error) }),
      });
      running.set(key, upload);
      sent.value = [
        ...sent.value,
        {
          ...{ key, channel_id, name: file.name, size: file.size, sent: 0, state: 'coming' },
          ...{ since: sinceNow(0), id: undefined, answer: undefined, refusal: undefined },
        },
      ];
      const [before] = newestFirst(await upload.findPreviousUploads());
      if (before) upload.resumeFromPreviousUpload(before);
      // It may have been removed or paused meanwhile.
      if (find(key)?.state === 'coming') upload.start();
    },
    pause: (key) => {
      change(key, { state: 'paused' });
      void running.get(key)?.abort();
    },
    goOn,
    remove: async (key) => {
      const upload = running.get(key);
      const { id } = find(key) ?? {};
      dismiss(key);
      await upload?.abort();
      if (id !== undefined) await end(id);
    },
    end,
    dismiss,
    leave: () => {
      for (const upload of running.values()) void upload.abort();
      running.clear();
      sent.value = [];
    },
  };
}

/** What cannot be ended now goes by itself a day later. */
async function end(id: string): Promise<void> {
  await TusUpload.terminate(`${uploadsPath}/${id}`).catch(() => undefined);
}

/** The same file chosen again for the same channel goes on where it was, also after the page was loaded anew. */
function fingerprintOf(channel_id: number, { name, size, lastModified }: File): string {
  return ['footlight', channel_id, name, size, lastModified].join('/');
}

function newestFirst(uploads: readonly PreviousUpload[]): PreviousUpload[] {
  return uploads.toSorted((a, b) => Date.parse(b.creationTime) - Date.parse(a.creationTime));
}

function idIn(address: string | null): string | undefined {
  return address?.split('/').at(-1);
}

function sinceNow(sent: number): SentVideo['since'] {
  return { at: performance.now(), sent };
}

/** A cut, a service that starts anew, one that has much to do; a piece that came twice: the next try asks where to go on. */
function isPassing({ status, code }: Refusal): boolean {
  return status === 0 || status >= 500 || status === 429 || code === catalogue.wrongOffset.code;
}

function refusalOf(error: Error | DetailedError): Refusal {
  const answer = 'originalResponse' in error ? error.originalResponse : null;
  const status = answer?.getStatus() ?? 0;
  try {
    const { code, message } = JSON.parse(answer?.getBody() ?? '').errors;
    return { status, code, message };
  } catch {
    // What stands between us says it in another form, or nobody answered.
    return { status, code: 0, message: '' };
  }
}
