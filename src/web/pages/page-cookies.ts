// The cookies of our pages, as a browser sends them.

/** A frame's own cookie and an ordinary one may come together; each is an HMAC. */
const cookiesMax = 2;

/** The values of a name, the first few: what else there is under it was not set by us. */
export function cookieValues(header: string | null, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .slice(0, cookiesMax)
    .map((part) => part.slice(name.length + 1));
}
