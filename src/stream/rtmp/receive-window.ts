// Counts what was received, and tells when the peer wants that acknowledged (RTMP 1.0, section 5.4.3).

/** Until the peer asks for anything. */
const firstWindowBytes = 2_500_000;
/** Acknowledgements come at least this far apart, whatever it asks for. */
const windowBytesMin = 16_384;

export class ReceiveWindow {
  private windowBytes = firstWindowBytes;
  private receivedBytes = 0;
  private acknowledgedBytes = 0;

  /** The peer wants an acknowledgement after each so many bytes. */
  resize(bytes: number): void {
    this.windowBytes = Math.max(windowBytesMin, bytes);
  }

  /** What to acknowledge now, if anything: all bytes since the beginning. */
  received(bytes: number): number | undefined {
    this.receivedBytes += bytes;
    if (this.receivedBytes - this.acknowledgedBytes < this.windowBytes) return undefined;
    this.acknowledgedBytes = this.receivedBytes;
    return this.receivedBytes;
  }
}
