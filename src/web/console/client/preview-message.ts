// What the console tells the frame of its preview, and the frame the console.

export interface PreviewMessage {
  type: 'footlight-preview';
  /** A whole watch page, as the service makes it. */
  html: string;
  /** What the viewer's system is taken to prefer. */
  scheme: 'light' | 'dark';
}

/** The frame is there and can be told. */
export interface PreviewReady {
  type: 'footlight-preview-ready';
}

export function isMessage<T extends { type: string }>(data: unknown, type: T['type']): data is T {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === type;
}
