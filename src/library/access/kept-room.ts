// Room for what an account has in the database besides rows of its lists: pictures of pages, captions of videos.

/** Keeps so many bytes more where the account has room for them, beside all else that it has; throws where not. */
export type KeptRoom = <T>(
  asked: { account_id: number; bytes: number },
  keep: () => Promise<T>,
) => Promise<T>;
