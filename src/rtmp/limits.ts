// Every bound of the wire in one place, each with its reason.

export interface RtmpLimits {
  readonly handshakeWithinMs: number;
  readonly startWithinMs: number;
  readonly silenceMaxMs: number;
  readonly stallMaxMs: number;
  readonly closeWithinMs: number;
  readonly chunkBytesMax: number;
  readonly commandBytesMax: number;
  readonly mediaBytesMax: number;
  readonly chunkStreamsMax: number;
  readonly halfReadBytesMax: number;
  readonly earlyBytesMax: number;
  readonly answerBytesMax: number;
  readonly waitingBytesMax: number;
  readonly connectionsPerAddressMax: number;
  readonly connectionsMax: number;
}

export const rtmpLimits: RtmpLimits = Object.freeze({
  // Two round trips, on the worst line that could still carry a picture.
  handshakeWithinMs: 5_000,
  // From the handshake to `publish` or `play`, a look-up that waits for the database included.
  startWithinMs: 10_000,
  // An encoder sends sound or pictures many times a second; one that sends none for so long is gone.
  silenceMaxMs: 10_000,
  // A player whose socket takes nothing for so long has left without a word.
  stallMaxMs: 10_000,
  // How long a refused peer has to read why before its socket is dropped.
  closeWithinMs: 2_000,
  // The largest that encoders ask for (ffmpeg); a larger one would only let one message block others.
  chunkBytesMax: 65_536,
  // The longest commands in the wild are some hundred bytes, metadata some thousand.
  commandBytesMax: 65_536,
  // A key frame of a second's worth at 32 Mbps.
  mediaBytesMax: 4_194_304,
  // Encoders use five; each costs us its last header and perhaps a half-read message.
  chunkStreamsMax: 16,
  // One picture of the largest size and what comes between its chunks.
  halfReadBytesMax: 5_242_880,
  // What may come while a key is looked up: what one read of a socket brings, twice.
  earlyBytesMax: 1_048_576,
  // Answers to commands that the peer does not read; honest ones read a few hundred bytes at once.
  answerBytesMax: 65_536,
  // The play source drops frames long before; this is for a source that forgets to.
  waitingBytesMax: 16_777_216,
  // A studio behind one address, or a test; not a flood.
  connectionsPerAddressMax: 64,
  // Beyond any machine's uplink, below the usual limit of open files.
  connectionsMax: 2_000,
});
