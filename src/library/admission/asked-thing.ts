// The channel or video that an operation names: whether it is the caller's, and what holds of it.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { ownerOf } from '../access/owner.ts';
import { findVideo } from '../videos/video-store.ts';
import { type KeyPlace, listedOf, placeOf } from './access-key-store.ts';
import type { Admission } from './admission.ts';
import * as admissionStore from './admission-store.ts';
import { withoutExpired } from './ended-passes.ts';

export interface Thing {
  kind: 'channel' | 'video';
  id: number;
}

export interface Found {
  channel_id: number;
  /** Of its own codes, list and registrations. */
  place: KeyPlace;
  /** Of the thing itself, as it is stored. */
  own: string;
  admission: Admission;
}

/** Throws where it is not the owner's. */
export async function findThing(store: Store, given: Owner, { kind, id }: Thing): Promise<Found> {
  const sql = store.for(ofAccount(given));
  const owner = ownerOf(given);
  const channel_id = kind === 'channel' ? id : (await findVideo(sql, id, owner)).channel_id;
  const own = await admissionStore.ownAdmission(sql, { kind, id, owner });
  const admission =
    kind === 'channel'
      ? await admissionStore.admissionOfChannel(sql, id)
      : await admissionStore.admissionOfVideo(sql, id);
  if (!admission) throw new ApiError(kind === 'channel' ? 'noChannel' : 'noVideo');
  const place = { channel_id, thing: admission.thing };
  return { channel_id, place, own, admission };
}

/** As its owner is shown it. */
export async function accessView(store: Store, owner: Owner, thing: Thing & { now: number }) {
  const { own, admission } = await findThing(store, owner, thing);
  const { rule } = admission;
  const sql = store.for(ofAccount(owner));
  return {
    kind: rule.kind,
    has_password: rule.password_hash !== undefined,
    show_cover: rule.show_cover,
    ended_passes: withoutExpired(rule, thing.now).ended.length,
    list: rule.kind === 'list' ? await listedOf(sql, placeOf(admission)) : [],
    form: rule.form ?? [],
    of_channel: thing.kind === 'video' && own === '',
  };
}
