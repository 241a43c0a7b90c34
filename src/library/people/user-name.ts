// User names: how two are compared.

/** Two that look alike are one: letters of any case, and however they are encoded. */
export function foldedUserName(userName: string): string {
  return userName.normalize('NFKC').toLowerCase().trim();
}
