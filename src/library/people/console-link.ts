// A one-time link: what it is for, and the address that a browser opens it at.

export const linkPurposes = ['first', 'invite', 'reset'] as const;

/** To make an account's first person, another person, or a new password for one. */
export type LinkPurpose = (typeof linkPurposes)[number];

/** Behind the `#`: neither a server nor a proxy nor a log gets to see it. */
export function linkAddress(baseUrl: string, secret: string): string {
  return `${baseUrl}/console/link#${secret}`;
}
