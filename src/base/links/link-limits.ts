// Every bound of the links between nodes in one place, each with its reason.

export const linkLimits = {
  /** A peer that was heard of less often than this is taken for stopped: five beats, so that one long turn ends no link. */
  silenceMs: 5_000,
  beatEveryMs: 1_000,
  /** A beat that comes later than this was held up with all else of this node: first what waits is read. */
  beatLateMs: 2_000,
  /** Pings between two beats of ours: a node sends one a second, and some may come together. */
  pingsMax: 32,

  /** From the connect to the last proof; on the slowest line that links are for it takes four ways of 200 ms. */
  handshakeMs: 3_000,
  /** The longest message of a handshake has two names, two numbers and the names of two secrets. */
  handshakeBytesMax: 1_024,
  /** Connections that have not proved who they are. Each is there for some milliseconds; a network has half of what the others leave. */
  strangersMax: 32,
  /** Characters of a node's name. */
  nameMax: 64,

  /** The first wait before a node is dialled again, doubled with each try up to the last; a half of it by chance. */
  redial: { firstMs: 100, lastMs: 5_000 },
  /** A link that stood for so long was good: the next try waits for the shortest time. */
  settledMs: 10_000,

  /** A node that the list has lost is dialled for so long yet: the database may be away, and the node there. */
  unlistedMs: 60_000,

  /** A page's message has no more, and the same server takes both: more would let pages hold more. */
  pieceBytesToServer: 4_096,
  /** No other message is held up by more than this. */
  pieceBytesToDialler: 32_768,
  /** What was sent and not yet worked on by the other side: a line of 50 ms still carries 160 Mbit/s. */
  untoldBytesMax: 1_048_576,
  /** So much is worked on before the other side is told. */
  tellBytes: 65_536,

  /** One message, whole: a part of 200 ms at 300 Mbit/s. */
  messageBytesMax: 8_388_608,
  /** Pieces of messages that have begun to come, of one link, in all. */
  partialBytesMax: 33_554_432,
  /** What waits on one topic for one node; beyond it the oldest leave, and the other side sees the gap. */
  topic: { messagesMax: 2_000, bytesMax: 4_194_304 },
  /** What waits of a stream: eight seconds of 4 Mbit/s. Beyond it its follower is dropped to the next beginning. */
  streamBytesMax: 4_194_304,
  /** What waits of all streams of one link: sixty that begin at once. Beyond it none begins, and those that wait are dropped so. */
  streamsBytesMax: 134_217_728,
  /** Of one link: more than there are live channels on a node. */
  streamsMax: 4_096,
  /** Questions of one node that are being answered, and answers that wait; beyond it they are refused. */
  asksMax: 256,
  /** Frames that were worked on and are kept until their list is cut: to cut it for each would cost more than they do. */
  workedFramesMax: 256,
  /** Names of topics that a node may tell. */
  topicsMax: 64,

  /** All links together have so long of a turn; a flood of one waits for the next. */
  turnMs: 5,

  /** Another node may have changed the secret: so often it is looked. */
  secretsEveryMs: 10_000,
} as const;
