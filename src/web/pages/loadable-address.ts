// Addresses out of the database, looked at once more before they stand in an attribute of a page.

/** The address as it is where a page may load it: http, https, protocol-relative or a path; else empty. */
export function loadable(address: string): string {
  return /^(?:https?:\/\/[^/]|\/)/i.test(address) && !/[\s\\\p{Cc}"<>]/u.test(address)
    ? address
    : '';
}

/** The same with scheme and host: for those who read it away from the page. */
export function absolute(address: string, baseUrl: string): string {
  const checked = loadable(address);
  if (checked.startsWith('//')) return baseUrl.replace(/\/\/.*$/, '') + checked;
  return checked.startsWith('/') ? baseUrl + checked : checked;
}
