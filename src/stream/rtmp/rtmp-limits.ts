// Every bound of the wire in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';

/** What one connection, network or account may send, hold or have under way: settings, and these are their defaults. */
export const rtmpBounds = Object.freeze({
  // Places of those who have shown a key. An account may have half of what the others leave.
  publishersMax: 500,
  // A network may have half of what the others leave.
  playersMax: 1_000,

  // New connections of one network, a second, and as many at once: after a restart all encoders and players of a venue
  // come back. As many strangers as a network may have, so that who is let in beside a flood has a second to begin.
  connectsPerSecond: 250,

  // Strangers: who has neither published nor played yet. A hundred times the encoders that any show begins with at
  // once; of a crowd the oldest make room.
  strangersMax: 500,
  // Encoders need eight messages and librtmp's players ten, the control messages included.
  strangerMessagesMax: 64,
  // Encoders need 700 bytes behind the handshake; the longest addresses, with a signed key in them, some thousand.
  strangerBytesMax: 32_768,

  // From the handshake to `publish` or `play`, a look-up that waits for the database included.
  startWithinMs: 10_000,
  // An encoder sends sound or pictures many times a second; one that sends none for so long is gone.
  silenceMaxMs: 10_000,
  // A player whose socket takes nothing for so long has left without a word.
  stallMaxMs: 10_000,

  // What they may send once they are let in. An encoder sends 75 to 150 messages a second, at 120 pictures and 96 kHz
  // 214; after a stall all that it held.
  publisherMessagesPerSecond: 1_000,
  // A player says what it has received, every 2.5 MB, and how long its buffer is.
  playerMessagesPerSecond: 50,

  // Keys are looked up so many at once, half of them for one network: the others of the database's ten connections
  // are for everybody else.
  lookUpsMax: 4,
  // What may come while a key is looked up, or the next turn is awaited: what one read of a socket brings, twice.
  earlyBytesMax: 1_048_576,
  // The same of all connections: encoders wait for their answer, so it is little, or an attack.
  earlyBytesInAllMax: 67_108_864,
  // A player this far behind is slow: it gets nothing until it has caught up, then the next key frame.
  unreadBytesMax: 4_194_304,
  // The same of all players, half of it for one network: beyond it who has left more than a little is slow, too, and
  // who comes waits for a key frame. On a machine of 2 GB, half of what pushes may hold.
  unreadBytesInAllMax: 268_435_456,
});

export type RtmpBounds = Readonly<Record<keyof typeof rtmpBounds, number>>;

/** All that a connection keeps to: those that may be set, what follows from them, and the protocol's. */
export function rtmpLimitsOf(bounds: RtmpBounds) {
  return {
    ...wireLimits,
    ...bounds,
    publisherMessages: perSecond(bounds.publisherMessagesPerSecond),
    playerMessages: perSecond(bounds.playerMessagesPerSecond),
    ...arrivalRates(bounds.connectsPerSecond),
    // Two round trips, on the worst line that could still carry a picture.
    handshakeWithinMs: bounds.startWithinMs / 2,
    // Those who are told why they are let go, half of them of one network: at the end of a show all its players are
    // told at once, so there are two of these for each place of a player.
    lingeringMax: Math.max(2_000, 2 * bounds.playersMax),
    // The play source drops frames long before; this is for a source that forgets to.
    waitingBytesMax: 4 * bounds.unreadBytesMax,
  };
}

export type RtmpLimits = Readonly<ReturnType<typeof rtmpLimitsOf>>;

/** How it is done, and how long the protocol's messages may be. */
const wireLimits = {
  // When all together come faster than they may, a network that has not come just before still gets in: an encoder and
  // its tries.
  crowdArrivals: { atOnce: 4, everyMs: 1_000 },
  // Of one turn, whoever they are; taking one costs some 25 µs, and as many again may wait to be taken.
  turnArrivalsMax: 500,
  // The system keeps a network out for so long that comes more often; then it may come as often as has become due, which
  // for others of the network is the share of it that they are of all who try.
  shutOutMs: 100,
  letInMs: 0,
  // So many networks at once: the program that names them stays under 10 KB, which every system takes.
  shutOutMax: 128,
  // How long a refused peer has to read why before its socket is dropped.
  closeWithinMs: 2_000,
  // Of a stranger: four addresses of the longest kind in one `connect`.
  strangerMessageBytesMax: 16_384,

  // The turn of the event loop. All publishers' input together may take so long: twenty streams that are read together
  // take half of it, and with more some go on in the next turn, which costs little.
  publisherTurnMs: 8,
  // All strangers' and players' input together: some forty encoders that begin in the same moment.
  strangerTurnMs: 4,
  // What all are sent together: a batch for some two hundred players. Of more some are sent theirs in the next turn,
  // which costs little.
  sendTurnMs: 4,
  // What the system takes of a connection's beyond what is on its way. It would let each have some megabytes.
  unsentBytesMax: 262_144,
  // Then theirs rests for so long: whatever they send, it is a quarter of a core at most.
  strangerRestMs: 12,
  // Keys cannot be guessed, they have 160 bits. Who tries waits for the answer, and nobody else does.
  wrongKeyWaitMs: 1_000,

  // Chunks and messages. Chunks begin at this size, and no encoder asks for smaller ones: each costs us a step.
  chunkBytesMin: 128,
  // The largest that encoders ask for (ffmpeg); a larger one would only let one message block others.
  chunkBytesMax: 65_536,
  // The longest commands in the wild are some hundred bytes. In this many, the dearest values take 3 ms to read.
  commandBytesMax: 16_384,
  // Metadata has some thousand, and some tools send whole documents as data.
  dataBytesMax: 65_536,
  // Longer words are not read: nobody needs them to play the stream.
  wordsBytesMax: 16_384,
  // A key frame of a second's worth at 32 Mbps.
  mediaBytesMax: 4_194_304,
  // Encoders use five; each costs us its last header and perhaps a half-read message.
  chunkStreamsMax: 16,
  // One picture of the largest size and what comes between its chunks.
  halfReadBytesMax: 5_242_880,
  // Answers to commands that the peer does not read; honest ones read a few hundred bytes at once.
  answerBytesMax: 65_536,
};

export const rtmpLimits: RtmpLimits = Object.freeze(rtmpLimitsOf(rtmpBounds));

/** Ten seconds' worth at once: about what the systems on both sides hold back while a line stalls. */
export function perSecond(count: number): Rate {
  return { atOnce: 10 * count, everyMs: 1_000 / count };
}

/** So many a second of a network, of all four times as many; one is some 100 µs with its handshake, all a tenth of a core. */
export function arrivalRates(
  networkPerSecond: number,
): Record<'networkArrivals' | 'arrivals', Rate> {
  const everyMs = 1_000 / networkPerSecond;
  return {
    networkArrivals: { atOnce: networkPerSecond, everyMs },
    arrivals: { atOnce: 4 * networkPerSecond, everyMs: everyMs / 4 },
  };
}
