// A button that copies a text; also over plain HTTP, where browsers have no clipboard for scripts.
import { useEffect, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';

export function CopyButton(props: {
  text: string;
  label?: string;
  isSmall?: boolean;
  hasWord?: boolean;
}) {
  const { text, label, isSmall, hasWord } = props;
  const { toasts } = useConsole();
  const { common } = useTexts();
  const [isCopied, copied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => copied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(text)) copied(true);
    else toasts.failed(common.copy_failed);
  };
  const word = isCopied ? common.copied : (label ?? common.copy);
  return (
    <>
      <Button icon={isCopied ? 'done' : 'copy'} label={word} isSmall={isSmall} onClick={copy}>
        {hasWord ? word : undefined}
      </Button>
      <span class="unseen" role="status">
        {isCopied ? common.copied : ''}
      </span>
    </>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement as HTMLElement | null;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  before?.focus();
  return isCopied;
}
