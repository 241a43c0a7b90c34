// Where a viewer came from, as the records show it.

/** A host name's longest (RFC 1035 2.3.4); what is longer is no host. */
const hostCharactersMax = 253;

/** The host of the page that led here, `embed:host` of the one that frames ours, else `direct`. */
export function originOf(
  referer: string | null,
  own: {
    /** Of the request, with or without a port. */
    host: string;
    isEmbed: boolean;
  },
): string {
  const host = hostOf(referer ?? '');
  if (host === '' || host === hostOf(`http://${own.host}`)) return 'direct';
  return own.isEmbed ? `embed:${host}` : host;
}

/** In lower case, without port; empty where the text names none. */
function hostOf(address: string): string {
  const host = URL.parse(address)?.hostname.toLowerCase() ?? '';
  return host.length <= hostCharactersMax ? host : '';
}
