// The flags of fragmented MP4 (ISO 14496-12 8.8), for who writes it and who reads it.

/** Fields that a `tfhd` has or has not (8.8.7.1), and where its places count from. */
export const tfhdFlag = {
  baseOffset: 0x1,
  description: 0x2,
  duration: 0x8,
  size: 0x10,
  flags: 0x20,
  baseIsMoof: 0x20000,
};

/** Fields that a `trun` has or has not: two once, the others for each sample (8.8.8.1). */
export const trunFlag = {
  dataOffset: 0x1,
  firstFlags: 0x4,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  compositionOffset: 0x800,
};

/** Of a sample (8.8.3.1): it depends on no other; it depends on others and is no place to start. */
export const keyFlags = 0x02000000;
export const otherFlags = 0x01010000;
/** The bit that alone decides: decoding cannot start with this sample. */
export const nonSyncBit = 0x00010000;
