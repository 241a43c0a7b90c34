// A view that has nothing to show yet, and what to do about it.
import type { ComponentChildren } from 'preact';
import { ConsoleIcon, type ConsoleIconName } from './console-icon.tsx';

export function EmptyState(props: {
  icon: ConsoleIconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <ConsoleIcon name={props.icon} />
      </span>
      <h2>{props.title}</h2>
      {props.children && <p class="soft">{props.children}</p>}
      {props.action}
    </div>
  );
}
