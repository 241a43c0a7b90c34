// The names of the marks that are kept of a channel beside its rows; who removes it removes them.

/** How far the addresses of its sessions are truncated, and by which numbering that is. */
export function addressMarks(channel_id: number): { place: string; numbering: string } {
  return { place: `addresses ${channel_id}`, numbering: `addresses numbering ${channel_id}` };
}
