// Where media lies behind a pass.

/** What lies on another site, or nowhere, is not behind a pass of ours. */
export function mediaAddress(mediaPath: string, address: string): string {
  return address.startsWith('/recordings/') ? mediaPath + address : address;
}
