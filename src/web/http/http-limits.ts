// Every bound on those who ask over HTTP in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';
import type { ArrivalsOptions } from '../../base/peers/arrivals.ts';

/** What one connection, network or account may hold or have under way: settings, and these are their defaults. */
export const httpBounds = Object.freeze({
  // Connections that are open; 0 for as many as there are descriptors for. One network may have half of what the
  // others leave.
  connectionsMax: 0,
  // New connections of one network, a second, and four seconds' at once: a venue where 500 open a page together, each
  // with one connection for HTTP/2 and one for its WebSocket. With a certificate of RSA each costs up to a millisecond
  // of the thread that serves everyone, so a network has a quarter of it; all together may open twice as many.
  connectsPerSecond: 250,
  // Seconds without a byte after which a connection is closed. Bun gives a request's head some ten seconds of its own.
  idleSeconds: 30,
  // Bytes a second that may come over one connection beyond its requests: handshakes, and HTTP/2's words about itself,
  // are a few hundred. Two seconds of it at once, and a network may send four times as much; more is closed. As frames
  // of one byte it is a fortieth of a second's work for one network.
  bytesPerSecond: 65_536,
  // A body of the interface has 64 KB at most; one that trickles in for longer than this is cut.
  bodyMs: 10_000,

  // Requests under way at once, so that memory stays bounded. One network may have half of what the others leave.
  underWayMax: 2_000,
  // Requests that wait for a turn, shared like those under way: a second or two of them, 2 KB each.
  waitingMax: 10_000,

  // Larger answers that one HTTP/2 connection has not taken: a page asks for a few, each some hundred kilobytes.
  untakenBytesMax: 8_388_608,
  // And all connections together: what a machine of 2 GB can spare. One network may have half of what the others leave.
  untakenBytesInAllMax: 134_217_728,
  // A larger answer of which nothing is taken for so long is broken off, as proxies do: a player that was paused asks
  // again. For one that many share see `sharedPatience`.
  untakenMs: 60_000,

  // What the system may hold of answers that were given to it and not taken, besides what is on its way: an
  // answer that nobody reads is 128 KB there; 0 for a quarter of the machine's memory. One network may have half of what
  // the others leave, and loses first what holds most.
  unsentBytesMax: 0,

  // Answers in pieces at once: a slow caller holds one, and a piece of it. An account may have half of what the others
  // leave.
  exportsMax: 16,
  // An export of which nothing was taken for so long gives its place up: as long as the slowest proxy may pause.
  exportStallMs: 10_000,
  // Those that follow events: each is a connection for hours, a look-up of its caller now and then, and one read of
  // what has happened. An account may have half of what the others leave.
  followersMax: 200,
});

export type HttpBounds = Readonly<Record<keyof typeof httpBounds, number>>;

export interface ConnectRates {
  arrivals: ArrivalsOptions['limits'];
  /** Of a network that makes hellos wait. */
  helloArrivals: Rate;
}

export function connectRates(perSecond: number): ConnectRates {
  const everyMs = 1_000 / perSecond;
  const atOnce = 2 * perSecond;
  return {
    arrivals: {
      networkArrivals: { atOnce, everyMs },
      arrivals: { atOnce: 2 * atOnce, everyMs: everyMs / 2 },
      // A few browsers that open a page.
      crowdArrivals: { atOnce: 30, everyMs: 100 },
      // Bun's, not ours: nobody tells us.
      turnArrivalsMax: Number.POSITIVE_INFINITY,
    },
    // See `hellos`: a tenth a second, and a quarter of a second's at once.
    helloArrivals: {
      atOnce: perSecond / 4 + httpLimits.hellos.openedLeftMin,
      everyMs: 10 * everyMs,
    },
  };
}

/** How it is done. */
export const httpLimits = {
  /**
   * Before it stops, the server goes on answering for this long, with `Connection: close`: Bun closes
   * a kept-alive connection also when a request is already on its way there.
   */
  drainMs: 250,

  /** After a new certificate the old socket goes on for so long beyond `idleSeconds`: whoever keeps a connection has asked again, or was idle. */
  handoverMs: 5_000,

  /** Of the descriptors that the service may have: for the database, recordings and encoders. */
  descriptorReserve: 0.25,
  /** Of the machine's memory: for what the system holds of answers that nobody takes. */
  unsentOfMemory: 0.25,
  /** Whatever else takes descriptors: this share of them HTTP connections may always have. */
  connectionShareMin: 0.1,
  /**
   * How often connections are looked at: so long a flood may keep others out, or send what it likes. While a network
   * sends what is no request its own are looked at more often. All looks together take at most this share of the time;
   * one at 20,000 takes 5 ms. A longer one was held up by the machine, which is no reason to look away for long.
   */
  looks: { everyMs: 100, alertEveryMs: 20, share: 0.05, everyMsMax: 1_000 },
  /**
   * New ones and those of a network that sends much are asked at each look what has come; of the others, going round, a
   * share: some 3 µs each. One of 1,000 may so send what it likes for 0.3 s, and one of 5,000 for a second.
   */
  othersOfLook: { least: 100, share: 1 / 3, most: 500 },
  /** Of one look, in one turn. */
  lookSliceMs: 2,
  /** The system gives the lowest number that is free. Most looks go so far beyond the last that was known, each so many-th as far as there ever were descriptors. */
  gapOfMost: 64,
  wholeLookEvery: 10,

  /** So many seconds' bytes may come at once beyond requests. */
  bytesAtOnceSeconds: 2,
  /** A network may send so many times what one connection may. */
  networkBytesShare: 4,
  /** Requests of a network that sends more than it may beyond them, whatever it is, are counted for so long. */
  countedMs: 10_000,
  /** Of what is sent to a connection: so much comes back where every 4 KB that were read are acknowledged by two frames. */
  takingShare: 1 / 32,
  /** Around a request: its first line, a frame's head, a TLS record. */
  aroundRequestBytes: 64,
  /** More is not counted for a head: Bun takes no longer one over HTTP/1.1. */
  headBytesMax: 16_384,
  /**
   * The same where it may be HTTP/2: there a byte can name a long header that was sent before. Browsers' heads are
   * smaller once they are compressed, the first of a connection is paid for by what may come at once. As much in frames
   * costs less than the request.
   */
  packedHeadBytesMax: 1_024,
  /**
   * What may have come of a request and not be told of yet: its head, its body and what the handshake took. Who sent no
   * more is not closed for its network: many there may send a long body at once.
   */
  untoldRequestBytesMax: 98_304,
  /** Requests of one connection that are refused as too many wait, of its network or of all: one that goes on to ask is closed. */
  refusedOfConnection: { atOnce: 100, everyMs: 20 },
  /** A network that is closed for what it sends more often than this is kept from connecting for a while. */
  cutsOfNetwork: { atOnce: 4, everyMs: 1_000 },
  /** The same for requests that are given up before they are begun: reset over HTTP/2, or sent behind one that waits. */
  goneOfNetwork: { atOnce: 500, everyMs: 10 },
  /**
   * Such a network is kept out for so long, and then let in for so long at least: a peer that comes back at once waits
   * for its system to try again, and of the others of its network most come at the first try. What is between two tries,
   * a second, is three and a half times both and what it takes to see the flood: the second try comes at another moment.
   */
  shutOutMs: 100,
  letInMs: 170,
  /** So many networks at once: the program that names them stays under 10 KB, which every system takes. */
  shutOutMax: 128,

  /**
   * With a certificate a connection begins with a hello, which has its answer in some milliseconds. A network of which
   * more hellos than these have waited for so long, and which opens more connections than `helloArrivals`, floods: thirty
   * people who open a page in the same moment do not, nor do sixty in a few seconds. While so many new ones are seen
   * together, looks are as frequent as in an alert. Some become due between two looks: who has fewer than so many left
   * opens more than it may.
   */
  hellos: { waitsMs: 50, waiting: { atOnce: 20, everyMs: 100 }, openedLeftMin: 12, alertFrom: 20 },
  /**
   * Connections that may wait to be taken: as many as come at once, and in the time in which that is seen. Bun has 512;
   * whose is one too many is taken seconds later, when its system tries again. Bun takes all that wait, and answers
   * their hellos five a turn, the newest first: so with a certificate one turn takes in no more than it answers in a
   * quarter of a second, and who comes with a burst waits so long for its end.
   */
  untakenConnectionsMax: { plain: 2_048, secure: 128 },
  /**
   * What may wait to be read of a connection, and so what Bun reads of it in one turn; the system doubles it. A request
   * has 64 KB at most, a page's message 4. Of a page that sends empty pieces of a message 512 KB were read, in 30 ms.
   */
  unreadBytesMax: 16_384,
  /**
   * What the system takes of a connection's answers beyond what is on its way: a part of a stream of 5 Mbit/s whole,
   * and enough to send on, at 100 Mbit/s, through a turn of 10 ms. Without it a buffer grows to 4 MB also for who reads
   * nothing. The size of the buffer is left to the system: a far viewer's line holds more than a near one's.
   */
  connectionUnsentBytesMax: 131_072,
  /** What may come of a page beyond what Bun has told: all that waits to be read, and most of a message; a new one's handshake. */
  untoldBytesMax: 65_536,

  /**
   * Requests of one turn of the event loop are begun for this long; some 500 at what most of them cost, or thirty lists.
   * The rest wait, which makes a list a tenth dearer.
   */
  turnMs: 14,
  /** Of those that wait, in a turn: others have come in the meantime, which Bun parses first, also for who is refused. */
  laterMs: 4,
  /** Of the requests that may be under way, so many are not asked whose they are: that costs a tenth of an answer. */
  unsharedUnderWay: 0.1,

  /** An answer up to this size is given to Bun as it is, also over HTTP/2: 256 of them are 4 MB a connection. */
  smallAnswerBytes: 16_384,
  /** What is given of a larger one at a time: as much as a window of HTTP/2 lets through. */
  pieceBytes: 65_536,
  /**
   * Pieces that are given in one turn of the event loop, of all answers from memory, and as many of all from files: 2 MB
   * each, which Bun copies and encrypts in some 3 ms. A hundred streams of each of sixteen connections were given theirs
   * in one, which took seconds.
   */
  piecesPerTurn: 32,
  /**
   * Of bytes that many answers share so much is counted for a connection: they cost nothing while their stream has
   * them. A player may so ask for 32 MB at once, three segments of the largest stream.
   */
  sharedWeight: 0.25,
  /** They are to be taken whole in so many times `untakenMs`: who is slower keeps a live stream's past, and cannot play it. */
  sharedPatience: 2,

  /**
   * Pieces of exports that are made at once, and so in one turn: each is a read of the database and a millisecond of
   * the thread that serves everyone. One account has one of them, so eight exports cost others no more than one does.
   */
  exportPiecesMax: 2,
  /**
   * How often it is looked whether who takes an export, or brings a long body, still may: a look-up where the database has
   * changed meanwhile.
   */
  callerCheckEveryMs: 1_000,

  /**
   * Files that are uploaded at once; each is held in memory, two or three times while it is checked and stored: 4 MB
   * each, so some 100 MB in all. An account may have half of what the others leave: six fill a page.
   */
  uploadsMax: 12,
  /** A file may take so long to come, as 64 KB may `bodyMs`: 4 MB at half a megabit a second. */
  uploadMs: 60_000,

  /**
   * Uploads that come piece by piece at once: each has a megabyte in Bun, over HTTP/2 two, and one or two on their way
   * to the disk, which all share. An account may have half of what the others leave: a browser sends a few.
   */
  bodyStreamsMax: 32,
  /** What Bun takes in of such a body before it is asked for, with what is told of late: over HTTP/2 three megabytes were seen. */
  bodyAheadBytesMax: 4_194_304,
  /**
   * Half a kilobyte a second: a line that is slower never brings a video, and who sends a byte now and then would have
   * the place for ever. A client goes on with another request.
   */
  bodyStall: { withinMs: 30_000, bytesMin: 16_384 },
  /**
   * A body that comes in small pieces is written a hundred times a second: beside sixteen that sent single bytes one
   * answer in a hundred took 25 ms, with this 8.
   */
  bodyGather: { bytes: 16_384, ms: 10 },

  /** Answers to reads that are remembered: what people poll for, not a copy of the database. */
  answersMax: 1_000,
  answerCharactersMax: 4_000_000,
  /** Host and target of one that is remembered: those that people poll for are short. */
  answerKeyCharactersMax: 1_000,
} as const;
