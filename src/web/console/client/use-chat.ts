// The chat of a channel as its host follows it: what is new comes by itself, what is removed is gone.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem, Reply } from './api.ts';
import { chatAfter, type ShownChat, withLine, withoutLines } from './chat-lines.ts';
import { useConsole } from './console-parts.ts';
import { followAnswer } from './follow-answer.ts';
import type { Chat, ChatLine } from './service-answers.ts';

export interface FollowedChat {
  chat: ShownChat | undefined;
  problem: Problem | undefined;
  reload(): void;
  /** `answered`: what it replies to. */
  say(text: string, answered: ChatLine | undefined): Promise<Problem | undefined>;
  pin(line: ChatLine): Promise<Problem | undefined>;
  unpin(): Promise<Problem | undefined>;
  remove(line: ChatLine): Promise<Problem | undefined>;
  silence(kind: 'mute' | 'ban', line: ChatLine): Promise<Problem | undefined>;
  lift(kind: 'mute' | 'ban', line: ChatLine): Promise<Problem | undefined>;
  setOpen(isOpen: boolean): Promise<Problem | undefined>;
  setSlow(seconds: number): Promise<Problem | undefined>;
}

const chatEveryMs = 2_000;
/** What was removed elsewhere is not told: so often all of it is read again. */
const wholeEveryTimes = 15;
const linesRead = 100;

export function useChat(id: number): FollowedChat {
  const { api, network } = useConsole();
  const [chat, show] = useState<ShownChat>();
  const [problem, failed] = useState<Problem>();
  const [asked, askAgain] = useState(0);
  const latest = useRef<ShownChat | undefined>(undefined);
  latest.current = chat;
  /** What was asked for before one of them may be older than it. */
  const acts = useRef(0);
  const round = network.rounds.value;
  const path = `/manage/v1/channels/${id}/chat`;
  useEffect(() => {
    let times = 0;
    const ask = async (signal: AbortSignal) => {
      const known = times % wholeEveryTimes === 0 ? undefined : latest.current;
      times += 1;
      const actsBefore = acts.current;
      const after = known ? `&after=${known.nextAfter}` : '';
      const reply = await api.get<Chat>(`${path}?perPage=${linesRead}${after}`, signal);
      if (reply.problem?.kind === 'left') return reply.problem;
      failed(reply.problem);
      const { value } = reply;
      if (value && acts.current === actsBefore)
        show((before) => chatAfter(known ? before : undefined, value));
      return reply.problem;
    };
    return followAnswer({ ask, everyMs: chatEveryMs });
  }, [path, asked, round, api]);

  /** Does it, and shows what it has changed. */
  const act = async <T>(
    word: string,
    body: object,
    change: (before: ShownChat, value: T) => ShownChat,
  ): Promise<Problem | undefined> => {
    const reply: Reply<T> = await api.post<T>(`${path}/${word}`, body);
    acts.current += 1;
    const { value } = reply;
    if (value !== undefined) show((before) => before && change(before, value));
    return reply.problem;
  };
  return {
    chat,
    problem,
    reload: () => askAgain((times) => times + 1),
    say: (text, answered) =>
      act<ChatLine>('say', { text, ...(answered && { reply_to: answered.id }) }, withLine),
    pin: ({ id: line }) =>
      act<Pick<Chat, 'pinned'>>('pin', { id: line }, (before, { pinned }) => ({
        ...before,
        pinned,
      })),
    unpin: () => act('unpin', {}, (before) => ({ ...before, pinned: null })),
    remove: ({ id: line }) =>
      act('remove', { ids: [line] }, (before) => withoutLines(before, [line])),
    silence: (kind, { viewer_id }) => act(kind, { viewer_id }, (before) => before),
    lift: (kind, { viewer_id }) => act('lift', { viewer_id, kind }, (before) => before),
    setOpen: (isOpen) =>
      act<Pick<Chat, 'open'>>(isOpen ? 'open' : 'close', {}, (before, { open }) => ({
        ...before,
        open,
      })),
    setSlow: (seconds) =>
      act<Pick<Chat, 'slow_seconds'>>('slow', { seconds }, (before, { slow_seconds }) => ({
        ...before,
        slowSeconds: slow_seconds,
      })),
  };
}
