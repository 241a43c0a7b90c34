// One handler for each type of message: while a type has none, the program does not compile.

/** Messages are told apart by it. */
interface Typed {
  type: string;
}

/** Of all messages of a direction, the one of a type: `MessageOf<PageMessage, 'chat'>` is a Say. */
export type MessageOf<Message extends Typed, Type extends Message['type']> = Extract<
  Message,
  { type: Type }
>;

/** Each gets the message of its own type, and what is known of where it came from. */
export type MessageHandlers<Message extends Typed, Context, Result> = {
  readonly [Type in Message['type']]: (
    message: MessageOf<Message, Type>,
    context: Context,
  ) => Result;
};

/** Calls the handler of the message's type; undefined where there is none, as of a service that is newer than its page. */
export function handle<Message extends Typed, Context, Result, Type extends Message['type']>(
  handlers: MessageHandlers<Message, Context, Result>,
  message: MessageOf<Message, Type>,
  context: Context,
): Result | undefined {
  return isTypeIn(handlers, message.type) ? handlers[message.type](message, context) : undefined;
}

/** Whether the table has an entry of its own for it: a stranger may send `constructor` or `__proto__`. */
export function isTypeIn<Table extends object>(table: Table, type: unknown): type is keyof Table {
  // Not by Object.hasOwn, which phones from before 2022 lack.
  return typeof type === 'string' && Object.keys(table).includes(type);
}
