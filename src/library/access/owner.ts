// What of an account a caller sees: all of it, or one manager's part.
import type { Owner } from '../../base/api/caller.ts';

/** Only what a worker needs of the caller crosses to it. */
export function ownerOf({ account_id, manager_id }: Owner): Owner {
  return { account_id, manager_id };
}

/** Which manager's rows a list shows: undefined for all, 'none' where a manager's token asks for another's. */
export function visibleManager(
  owner: Owner,
  asked: number | undefined,
): number | undefined | 'none' {
  if (owner.manager_id === 0) return asked;
  return asked === undefined || asked === owner.manager_id ? owner.manager_id : 'none';
}
