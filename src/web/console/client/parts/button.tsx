// A button: the one that matters, an ordinary one, or a quiet one; while it works it says so and is not pressed twice.
import type { ComponentChildren } from 'preact';
import { ConsoleIcon, type ConsoleIconName } from './console-icon.tsx';

interface ButtonProps {
  children?: ComponentChildren;
  kind?: 'main' | 'usual' | 'quiet' | 'danger' | undefined;
  type?: 'button' | 'submit' | undefined;
  icon?: ConsoleIconName | undefined;
  /** Where it has no text of its own. */
  label?: string | undefined;
  isBusy?: boolean | undefined;
  isOff?: boolean | undefined;
  isSmall?: boolean | undefined;
  /** Of one that opens something beside it: whether that is open. */
  isOpen?: boolean | undefined;
  onClick?: ((event: MouseEvent) => void) | undefined;
}

export function Button(props: ButtonProps) {
  const { children, kind = 'usual', type = 'button', icon, label, isBusy, isOff, isSmall } = props;
  const shape = `${children ? '' : ' only-icon'}${isSmall ? ' small' : ''}`;
  return (
    <button
      type={type}
      class={`press ${kind}${shape}`}
      aria-label={label}
      title={children ? undefined : label}
      aria-busy={isBusy || undefined}
      aria-expanded={props.isOpen}
      // Not `disabled`: the keyboard would lose its place.
      aria-disabled={isBusy || isOff || undefined}
      onClick={(event) => {
        if (!isBusy && !isOff) props.onClick?.(event);
        else event.preventDefault();
      }}
    >
      {icon && <ConsoleIcon name={icon} />}
      {children && <span>{children}</span>}
    </button>
  );
}

/** A link that looks like a button; `away` opens a tab of its own. */
export function ButtonLink(props: {
  href: string;
  children: ComponentChildren;
  icon?: ConsoleIconName;
  kind?: 'main' | 'usual' | 'quiet';
  away?: string;
}) {
  const { href, children, icon, kind = 'usual', away } = props;
  return (
    <a class={`press ${kind}`} href={href} {...(away && { target: '_blank', rel: 'noopener' })}>
      {icon && <ConsoleIcon name={icon} />}
      <span>
        {children}
        {away && <span class="unseen"> ({away})</span>}
      </span>
    </a>
  );
}
