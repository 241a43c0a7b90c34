// The chat for its host: what is said, what to do about it, and a line of one's own.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chatLimits } from '../../../../audience/chat/chat-limits.ts';
import { linkAttributes, linkedText } from '../../../pages/client/linked-text.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import type { Problem } from '../api.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { problemWithoutForm } from '../problem-text.ts';
import type { ChatLine } from '../service-answers.ts';
import { type FollowedChat, useChat } from '../use-chat.ts';
import { type SilenceKind, silenceTexts } from '../use-silence.ts';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { Menu, type MenuItem } from './menu.tsx';

export function ChatPanel({ id }: { id: number }) {
  const { chat: texts } = useTexts();
  const followed = useChat(id);
  const { chat } = followed;
  const [answered, answer] = useState<ChatLine>();
  const tell = useTell();
  const toggle = async () => {
    const isOpen = !chat?.open;
    const done = isOpen ? texts.opened : texts.now_closed;
    tell(await followed.setOpen(isOpen), done, () => followed.setOpen(!isOpen));
  };
  return (
    <section class="card chat-panel" aria-label={texts.title} aria-busy={!chat}>
      <header class="panel-head">
        <h2>{texts.title}</h2>
        {chat?.open && <SlowChoice seconds={chat.slowSeconds} followed={followed} />}
        {chat && (
          <Button kind="quiet" isSmall onClick={toggle}>
            {chat.open ? texts.close : texts.open}
          </Button>
        )}
      </header>
      {chat?.pinned && <PinnedLine line={chat.pinned} followed={followed} />}
      <ChatLog followed={followed} onReply={answer} />
      {chat && !chat.open && <p class="chat-closed soft small-text">{texts.closed}</p>}
      <SayForm followed={followed} answered={answered} onAnswered={() => answer(undefined)} />
    </section>
  );
}

/** Those that a host chooses from; another may be set over the interface. */
const slowChoices = [0, 5, 10, 30, 60, 300];

function SlowChoice({ seconds, followed }: { seconds: number; followed: FollowedChat }) {
  const { chat: texts } = useTexts();
  const tell = useTell();
  const set = async (chosen: number) => {
    const done = chosen === 0 ? texts.not_slow : filled(texts.now_slow, { seconds: chosen });
    tell(await followed.setSlow(chosen), done, () => followed.setSlow(seconds));
  };
  const choices = [...new Set([...slowChoices, seconds])].sort((a, b) => a - b);
  return (
    <select
      class="control chat-pace"
      aria-label={texts.slow}
      value={String(seconds)}
      onChange={({ currentTarget }) => set(Number(currentTarget.value))}
    >
      {choices.map((one) => (
        <option key={one} value={String(one)}>
          {one === 0 ? texts.slow_off : filled(texts.slow_seconds, { seconds: one })}
        </option>
      ))}
    </select>
  );
}

/** Says what was done, or why it was not. */
function useTell() {
  const { toasts } = useConsole();
  const texts = useTexts();
  return (problem: Problem | undefined, done: string | undefined, undo?: () => void) => {
    if (problem) toasts.failed(problemWithoutForm(problem, texts));
    else if (done !== undefined) toasts.done(done, undo);
  };
}

function PinnedLine({ line, followed }: { line: ChatLine; followed: FollowedChat }) {
  const { chat: texts, control } = useTexts();
  const tell = useTell();
  return (
    <div class="pinned">
      <ConsoleIcon name="pin" />
      <p>
        <b dir="auto">{line.nick || control.guest}</b>{' '}
        {line.host && <span class="host-badge">{texts.host}</span>}{' '}
        <span dir="auto">
          <SaidText text={line.text} />
        </span>
      </p>
      <Button
        kind="quiet"
        isSmall
        icon="close"
        label={texts.unpin}
        onClick={async () => tell(await followed.unpin(), undefined)}
      />
    </div>
  );
}

/** Nearer to the end than this one reads the newest. */
const nearPx = 60;

interface LinesProps {
  followed: FollowedChat;
  onReply(line: ChatLine): void;
}

function ChatLog({ followed, onReply }: LinesProps) {
  const { chat: texts } = useTexts();
  const lines = followed.chat?.lines;
  const log = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const [hasNew, setNew] = useState(false);
  const last = lines?.at(-1)?.id;
  const toEnd = () => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
    setNew(false);
  };
  useLayoutEffect(() => {
    if (last === undefined) return;
    // Whoever is about to do something with a line does not lose it to the next one.
    const isChoosing = log.current?.querySelector('[role="menu"]') != null;
    if (isAtEnd.current && !isChoosing) toEnd();
    else setNew(true);
  }, [last]);
  return (
    <div class="chat-scroll">
      <ol
        class="chat-log"
        ref={log}
        aria-label={texts.title}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx;
          if (isAtEnd.current) setNew(false);
        }}
      >
        {lines?.map((line) => (
          <LineShown key={line.id} line={line} followed={followed} onReply={onReply} />
        ))}
      </ol>
      {lines?.length === 0 && <p class="chat-empty soft">{texts.empty}</p>}
      {hasNew && (
        <button type="button" class="press main small chat-new" onClick={toEnd}>
          {texts.new_lines}
        </button>
      )}
    </div>
  );
}

function LineShown({ line, followed, onReply }: LinesProps & { line: ChatLine }) {
  const { chat: texts, control } = useTexts();
  const times = useTimes();
  const at = times.instant(line.sent_at);
  const nick = line.nick || control.guest;
  return (
    <li class="chat-line" data-host={line.host}>
      <p class="chat-who">
        <b dir="auto">{nick}</b>
        {line.host && <span class="host-badge">{texts.host}</span>}
        {at !== undefined && <time class="soft">{times.minute(at)}</time>}
      </p>
      <Quoted line={line} />
      <p class="chat-text" dir="auto">
        <SaidText text={line.text} />
      </p>
      <LineMenu line={line} nick={nick} followed={followed} onReply={onReply} />
    </li>
  );
}

/** What a line answers, in one row. */
function Quoted({ line: { reply_to, quoted } }: { line: ChatLine }) {
  const { chat: texts, control } = useTexts();
  if (reply_to === null) return null;
  const text = quoted
    ? filled(texts.in_reply_to, { nick: quoted.nick || control.guest, text: quoted.text })
    : texts.reply_to_removed;
  return (
    <p class="chat-quote soft" dir="auto">
      {text}
    </p>
  );
}

/** As pages show it: addresses in it are links. */
function SaidText({ text }: { text: string }) {
  return linkedText(text).map((piece) =>
    piece.href === undefined ? (
      piece.text
    ) : (
      <a href={piece.href} {...linkAttributes}>
        {piece.text}
      </a>
    ),
  );
}

function LineMenu(props: LinesProps & { line: ChatLine; nick: string }) {
  const { chat: texts } = useTexts();
  const { line, nick, followed, onReply } = props;
  const tell = useTell();
  const said = silenceTexts(texts);
  const lift = async (kind: SilenceKind) =>
    tell(await followed.lift(kind, line), filled(said.lifted[kind], { nick }));
  const silence = async (kind: SilenceKind) =>
    tell(await followed.silence(kind, line), filled(said.done[kind], { nick }), () => lift(kind));
  const ofViewer: MenuItem[] = [
    { text: texts.mute, icon: 'mute', onChoose: () => silence('mute') },
    { text: texts.ban, icon: 'ban', isDanger: true, onChoose: () => silence('ban') },
  ];
  const items: MenuItem[] = [
    { text: texts.reply, icon: 'reply', onChoose: () => onReply(line) },
    {
      text: texts.pin,
      icon: 'pin',
      onChoose: async () => tell(await followed.pin(line), undefined),
    },
    {
      text: texts.remove,
      icon: 'trash',
      onChoose: async () => tell(await followed.remove(line), texts.removed),
    },
  ];
  const groups = line.host ? [{ items }] : [{ items }, { items: ofViewer }];
  return (
    <Menu label={filled(texts.actions, { nick })} groups={groups} isQuiet>
      <ConsoleIcon name="more" />
    </Menu>
  );
}

interface SayProps {
  followed: FollowedChat;
  answered: ChatLine | undefined;
  /** It is answered, or shall not be. */
  onAnswered(): void;
}

function SayForm({ followed, answered, onAnswered }: SayProps) {
  const { chat: texts, control } = useTexts();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (answered) field.current?.focus();
  }, [answered]);
  const tell = useTell();
  const [typed, type] = useState('');
  const [isBusy, busy] = useState(false);
  const say = async () => {
    const text = typed.trim();
    if (text === '' || isBusy) return;
    busy(true);
    const problem = await followed.say(text, answered);
    busy(false);
    if (problem) {
      tell(problem, undefined);
      return;
    }
    type('');
    onAnswered();
  };
  return (
    <form
      class="say-form"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      {answered && (
        <p class="chat-quote soft">
          <span dir="auto">
            {filled(texts.in_reply_to, {
              nick: answered.nick || control.guest,
              text: answered.text,
            })}
          </span>
          <Button
            kind="quiet"
            isSmall
            icon="close"
            label={texts.end_reply}
            onClick={() => onAnswered()}
          />
        </p>
      )}
      <input
        ref={field}
        class="control"
        type="text"
        aria-label={texts.say}
        placeholder={texts.say}
        value={typed}
        maxLength={chatLimits.chatCharactersMax}
        enterkeyhint="send"
        autocomplete="off"
        onInput={(event) => type(event.currentTarget.value)}
      />
      <Button kind="main" type="submit" icon="send" label={texts.send} isBusy={isBusy} />
    </form>
  );
}
