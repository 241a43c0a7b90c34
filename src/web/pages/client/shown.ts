// What follows the player: a part of the page that is told when something may have changed.
export interface Shown {
  /** What the player says may have changed. */
  show(): void;
}
