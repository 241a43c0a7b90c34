// A view that has nothing to show yet, and what to do about it.
import type { ComponentChildren } from 'preact';
import { ConsoleIcon, type ConsoleIconName } from './console-icon.tsx';

export function EmptyState(props: {
  icon: ConsoleIconName;
  title: string;
  /** It is all that the view shows, so its title is the view's. */
  isView?: boolean | undefined;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <ConsoleIcon name={props.icon} />
      </span>
      {props.isView ? <h1 tabIndex={-1}>{props.title}</h1> : <h2>{props.title}</h2>}
      {props.children && <p class="soft">{props.children}</p>}
      {props.action}
    </div>
  );
}
