// Which nodes there are and where they are reached, as the links need to know it.

export interface KnownNode {
  node: string;
  /** From its start to its end. */
  run: string;
  /** Start of the address where others reach it; empty where it takes no links. */
  link_url: string;
}

export interface NodeDirectory {
  /** All that are thought to be there; this node may be among them. */
  list(): readonly KnownNode[];
  /** Called after each change of the list. */
  onChanged(changed: () => void): void;
}
