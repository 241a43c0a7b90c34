// A line of chat, and who may not write or not even enter.

export interface ChatMessage {
  /** Rises within the channel in the order of writing; never used twice. */
  id: number;
  /** Empty where the host wrote it. */
  viewer_id: string;
  /** As the viewer was called when they wrote it. */
  nick: string;
  text: string;
  sent_at: number;
  /** Whether the channel's host wrote it. */
  host: boolean;
  /** Where it answers another line. */
  reply?: Reply;
}

export interface Reply {
  /** Of the line that is answered. */
  id: number;
  /** Absent where that was removed: of it nothing is left but its number. */
  line?: Pick<ChatMessage, 'viewer_id' | 'nick' | 'text' | 'host'>;
}

/** How a channel's chat goes. */
export interface ChatState {
  /** Whether viewers may write. */
  open: boolean;
  /** Seconds between two lines of one viewer; 0: as they like. Its host may always write. */
  slow_seconds: number;
}

export const silenceKinds = ['mute', 'ban'] as const;

/** A muted viewer may watch but not write; a banned one may not enter. */
export type SilenceKind = (typeof silenceKinds)[number];

export interface Silence {
  viewer_id: string;
  kind: SilenceKind;
  /** Null: for ever. */
  until: number | null;
  created_at: number;
}
