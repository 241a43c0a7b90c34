// What the audit log is told of an operation: what it was done to, and what only the operation itself knows.

/** What something is done to. A viewer is none: who was erased must not stand in the log. */
export const targetKinds = [
  'account',
  'channel',
  'video',
  'person',
  'manager',
  'token',
  'job',
  'session',
  'invitation',
  'webhook',
] as const;
export type TargetKind = (typeof targetKinds)[number];

export interface Target {
  kind: TargetKind;
  id: number;
}

/** What an operation of the store tells, by what it was given and what came of it. */
export interface Tells<Input, Output> {
  /** What it is done to; it is looked at before, as it may be gone or have another name afterwards. */
  of?(input: Input): Target;
  /** What it made. */
  made?(output: Output, input: Input): (Target & { name: string }) | undefined;
  /** The name it was given, or goes by: nothing else that an operation knows is kept. */
  told?(output: Output, input: Input): { name: string };
  /** Who did it, where nobody was known before. */
  person?(output: Output, input: Input): number | undefined;
  /** Whether it changed anything; without this it did. */
  changed?(output: Output): boolean;
  /** It is done on the way to something else, which is what is noted. */
  isAside?: boolean;
}
