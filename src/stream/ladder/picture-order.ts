// Which place a decoded picture has among those of the source: they come out as they are shown, and went in as they are decoded.

/** Where one picture of the source stands; `of` is the part that it is in. */
export interface PicturePlace<Of> {
  readonly dtsMs: number;
  readonly of: Of;
}

/** Pictures from one key frame to the next, which no other is shown between. */
interface Group<Of> {
  /** When they are shown that have not come out, rising. */
  readonly shownAt: number[];
  /** The places that no picture has yet, in the order of decoding: as many. */
  readonly places: PicturePlace<Of>[];
}

/**
 * A rung has its pictures in the order they are shown in, and decodes them when the source does: the first that is
 * shown of a group has the group's first place, and so on. So both have the same times, to the millisecond, and the
 * pictures of a part are as many.
 */
export class PictureOrder<Of> {
  private groups: Group<Of>[] = [];

  /** A picture goes in. */
  came(place: PicturePlace<Of>, { ptsMs, isKey }: { ptsMs: number; isKey: boolean }): void {
    let group = this.groups.at(-1);
    if (!group || isKey) {
      group = { shownAt: [], places: [] };
      this.groups.push(group);
    }
    const { shownAt, places } = group;
    const before = shownAt.findLastIndex((one) => one <= ptsMs);
    shownAt.splice(before + 1, 0, ptsMs);
    places.push(place);
  }

  /** A picture comes out: the place it has, and those before it that none will have. Undefined where none is known. */
  shown(ptsMs: number): { place: PicturePlace<Of>; lost: readonly PicturePlace<Of>[] } | undefined {
    const at = this.groups.findIndex(({ shownAt }) => shownAt.includes(ptsMs));
    const group = this.groups[at];
    if (!group) return undefined;
    const lost = this.groups.splice(0, at).flatMap(({ places }) => places);
    const rank = group.shownAt.indexOf(ptsMs);
    group.shownAt.splice(0, rank + 1);
    lost.push(...group.places.splice(0, rank));
    const place = group.places.shift();
    return place && { place, lost };
  }

  /** Nothing more comes out of what went in: the places that are left. */
  clear(): readonly PicturePlace<Of>[] {
    return this.groups.splice(0).flatMap(({ places }) => places);
  }
}
