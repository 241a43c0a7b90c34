// Which pages are ours, by the address that a browser gives as the one it comes from.

/** Their paths, behind whatever path a proxy puts before them. */
const pageAddress = /^https?:\/\/([^/?#]+)\/(?:[^?#]*\/)?(?:watch|m|embed|videos)\//i;

export class OwnPages {
  private readonly publicHost: string | undefined;

  /** `publicUrl`: start of our addresses, or empty. */
  constructor(publicUrl: string) {
    this.publicHost = URL.parse(publicUrl)?.host;
  }

  /** `host` is the one that was asked: it serves pages, too. */
  have(referer: string | null, host: string | null): boolean {
    if (referer === null) return false;
    const from = pageAddress.exec(referer)?.[1]?.toLowerCase();
    return from !== undefined && (from === this.publicHost || from === host?.toLowerCase());
  }
}
