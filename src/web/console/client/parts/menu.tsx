// A menu behind a button: arrows go through it, Escape and a click elsewhere close it.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ConsoleIcon, type ConsoleIconName } from './console-icon.tsx';

export interface MenuItem {
  text: string;
  icon?: ConsoleIconName | undefined;
  isDanger?: boolean;
  /** Of a choice: whether it is the one that was made. */
  isChosen?: boolean | undefined;
  href?: string;
  onChoose?(): void;
}

export interface MenuGroup {
  title?: string;
  items: MenuItem[];
}

export function Menu(props: {
  label: string;
  groups: MenuGroup[];
  children: ComponentChildren;
  /** Its button is an icon alone: small beside a line, or as large as the buttons beside it. */
  isQuiet?: boolean;
  isIcon?: boolean;
}) {
  const id = useId();
  const [isOpen, open] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // Before the next key can come.
  useLayoutEffect(() => {
    if (!isOpen) return;
    if (list.current && root.current) putBeside(list.current, root.current);
    itemsIn(root.current)[0]?.focus({ preventScroll: true });
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) open(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    // It stands in the window, not in the page: where its button goes it does not follow.
    const away = () => open(false);
    document.addEventListener('scroll', away, { capture: true });
    window.addEventListener('resize', away);
    return () => {
      document.removeEventListener('scroll', away, { capture: true });
      window.removeEventListener('resize', away);
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [isOpen]);
  const leave = () => {
    open(false);
    root.current?.querySelector('button')?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      leave();
    }
    const items = itemsIn(root.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that are pressed on what lies in it
    <div class="menu" ref={root} onKeyDown={pressed}>
      <button
        type="button"
        class={`press menu-button ${buttonShape(props)}`}
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => open(!isOpen)}
      >
        {props.children}
      </button>
      {isOpen && (
        <div class="menu-list card" role="menu" ref={list} id={id} aria-label={props.label}>
          {props.groups.map((group) => (
            <MenuPart key={group.title ?? group.items[0]?.text} group={group} onChosen={leave} />
          ))}
        </div>
      )}
    </div>
  );
}

/** From the button's edge, to either side and above it, as there is room. */
const gapPx = 6;

/** Below its button and in line with its right edge; where that is outside the window, where it is not. */
function putBeside(list: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const isBelow = at.bottom + gapPx + height <= innerHeight || at.top < height + gapPx;
  list.style.top = `${isBelow ? at.bottom + gapPx : at.top - gapPx - height}px`;
  list.style.left = `${Math.max(gapPx, Math.min(at.right - width, innerWidth - width - gapPx))}px`;
}

function buttonShape({ isQuiet, isIcon }: { isQuiet?: boolean; isIcon?: boolean }): string {
  if (isIcon) return 'usual only-icon';
  return isQuiet ? 'quiet only-icon small' : 'quiet';
}

function MenuPart({ group, onChosen }: { group: MenuGroup; onChosen(): void }) {
  const { title, items } = group;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu has groups, a form has fieldsets
    <div class="menu-group" role="group" aria-label={title}>
      {title && <p class="menu-title">{title}</p>}
      {items.map((item) => (
        <MenuChoice key={item.text} item={item} onChosen={onChosen} />
      ))}
    </div>
  );
}

function MenuChoice({ item, onChosen }: { item: MenuItem; onChosen(): void }) {
  const inside = (
    <>
      {item.isChosen === undefined ? (
        item.icon && <ConsoleIcon name={item.icon} />
      ) : (
        <span class="menu-mark">{item.isChosen && <ConsoleIcon name="done" />}</span>
      )}
      <span>{item.text}</span>
    </>
  );
  if (item.href !== undefined)
    return (
      <a role="menuitem" class="menu-item" href={item.href} onClick={onChosen}>
        {inside}
      </a>
    );
  const isChoice = item.isChosen !== undefined;
  return (
    <button
      type="button"
      class={`menu-item${item.isDanger ? ' danger' : ''}`}
      {...(isChoice
        ? { role: 'menuitemradio', 'aria-checked': item.isChosen }
        : { role: 'menuitem' })}
      onClick={() => {
        onChosen();
        item.onChoose?.();
      }}
    >
      {inside}
    </button>
  );
}

function itemsIn(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}
